# Ranks the features of every table in this folder, in every fold, for s2fs bench.
#
#   Rscript rank.R            reads TABLE.csv and TABLE_folds.csv, writes rankings/TABLE_seedS_foldF.txt
#
# Put your method in the place of rank_features. It sees the training samples alone.

n_wanted <- 100  # the largest size of the plan

# The positions of features, the best first: here by the F statistic.
# X has a row for each sample; y is a factor.
rank_features <- function(X, y, n_wanted) {
  size <- as.vector(table(y))
  means <- rowsum(X, y) / size
  between <- colSums(size * sweep(means, 2, colMeans(X))^2)
  within <- colSums((X - means[as.integer(y), , drop = FALSE])^2)
  f <- ifelse(between > 0, between / within, 0)
  head(order(-f), n_wanted)
}

dir.create("rankings", showWarnings = FALSE)
for (file in list.files(pattern = "_folds[.]csv$")) {
  name <- sub("_folds[.]csv$", "", file)
  values <- read.csv(paste0(name, ".csv"), check.names = FALSE)
  X <- as.matrix(values[, -1])
  y <- factor(values[, 1])
  folds <- read.csv(file)
  for (seed in names(folds)) {
    for (fold in sort(unique(folds[[seed]]))) {
      train <- folds[[seed]] != fold
      ranked <- rank_features(X[train, , drop = FALSE], droplevels(y[train]), n_wanted)
      writeLines(as.character(ranked), sprintf("rankings/%s_%s_fold%d.txt", name, seed, fold))
    }
  }
  cat(name, "done\n")
}

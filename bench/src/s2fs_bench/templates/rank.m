% Ranks the features of every table in this folder, in every fold, for s2fs bench.
%
%   matlab -batch rank        reads TABLE.csv and TABLE_folds.csv, writes rankings/TABLE_seedS_foldF.txt
%
% Put your method in the place of rank_features. It sees the training samples alone.
1;

% The positions of features, the best first: here by the F statistic.
% X has a row for each sample; y has its class as 1, 2, ...
function ranked = rank_features(X, y, n_wanted)
  between = zeros(1, size(X, 2));
  within = zeros(1, size(X, 2));
  for k = unique(y)'
    own = X(y == k, :);
    centre = mean(own, 1);
    between = between + size(own, 1) * (centre - mean(X, 1)) .^ 2;
    within = within + sum((own - repmat(centre, size(own, 1), 1)) .^ 2, 1);
  end
  f = between ./ within;
  f(between == 0) = 0;
  [~, order] = sort(-f);
  ranked = order(1:min(n_wanted, numel(order)));
end

n_wanted = 100;  % the largest size of the plan
if ~exist('rankings', 'dir')
  mkdir('rankings');
end
files = dir('*_folds.csv');
for i = 1:numel(files)
  name = strrep(files(i).name, '_folds.csv', '');
  values = dlmread([name '.csv'], ',', 1, 0);
  folds = dlmread(files(i).name, ',', 1, 0);
  header = fopen(files(i).name);
  seeds = strsplit(strtrim(fgetl(header)), ',');
  fclose(header);
  for s = 1:numel(seeds)
    for fold = unique(folds(:, s))'
      train = folds(:, s) ~= fold;
      ranked = rank_features(values(train, 2:end), values(train, 1), n_wanted);
      out = fopen(sprintf('rankings/%s_%s_fold%d.txt', name, seeds{s}, fold), 'w');
      fprintf(out, '%d\n', ranked);
      fclose(out);
    end
  end
  disp([name ' done']);
end

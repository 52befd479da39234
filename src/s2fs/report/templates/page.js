"use strict";
// Sorting, search, slider, copy, download, saved figures and tooltips; the page can be read without any of them.
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const value = (cell) => cell.dataset.v ?? cell.textContent;

  // Sorting: a click on a heading sorts by it, a second one turns the order round.
  const collator = new Intl.Collator("en", { numeric: true });
  const number = (text) => (text === "" ? NaN : Number(text));
  for (const table of all("table.sortable")) {
    const body = table.tBodies[0];
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      if (heading.hasAttribute("data-plain")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      if (heading.title) {
        button.title = heading.title;
        heading.removeAttribute("title");
      }
      button.addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const text = heading.classList.contains("text") && !heading.classList.contains("number");
        const keyed = [...body.rows].map((row) => [value(row.cells[column]), row]);
        keyed.sort(([a], [b]) => {
          const order = text ? collator.compare(a, b)
            : (Number.isNaN(number(a)) - Number.isNaN(number(b))) || number(a) - number(b) || 0;
          return down ? -order : order;
        });
        body.append(...keyed.map(([, row]) => row));
      });
    });
  }

  // A switch shows one of the figures of its section.
  for (const choice of all(".switch")) {
    const pickers = all("select", choice);
    const figures = all("figure[data-dataset]", choice.closest("section"));
    const pick = () => {
      for (const figure of figures) {
        figure.hidden = pickers.some((picker) => figure.dataset[picker.name] !== picker.value);
      }
    };
    pickers.forEach((picker) => picker.addEventListener("change", pick));
    choice.hidden = false;
    pick();
  }

  // A filter shows some of the rows of its table, and no column of which all rows say the same.
  for (const filter of all(".filter")) {
    const pickers = all("select", filter);
    const rows = all("tbody tr", filter.closest("section"));
    const pick = () => {
      for (const row of rows) {
        row.hidden = pickers.some((picker) => picker.value && row.dataset[picker.name] !== picker.value);
      }
      for (const picker of pickers) {
        for (const heading of all(`[data-picked=${picker.name}]`, filter.closest("section"))) {
          const cells = rows.map((row) => row.cells[heading.cellIndex]);
          for (const cell of [heading, ...cells]) cell.hidden = Boolean(picker.value);
        }
      }
    };
    pickers.forEach((picker) => picker.addEventListener("change", pick));
    pick();
  }

  // A table as CSV, with the rows that are shown and the columns that have a name for it. A name
  // that a spreadsheet would take for a formula gets an apostrophe in front.
  const safe = (text) => (/^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const download = (table, name) => {
    const columns = [...table.tHead.rows[0].cells].map((cell, i) => [cell.dataset.csv, i])
      .filter(([heading]) => heading);
    const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const lines = [columns.map(([heading]) => safe(heading)), ...shown.map((row) =>
      columns.map(([, i]) => safe(value(row.cells[i]))))];
    const text = lines.map((line) => line.map(quoted).join(",") + "\n").join("");
    save(URL.createObjectURL(new Blob([text], { type: "text/csv" })), name);
  };
  for (const button of all("button.download")) {
    button.closest(".tools").hidden = false;
    button.addEventListener("click", () => download(byId(button.dataset.table), button.dataset.name));
  }

  // Copying, and what became of it in words.
  const copy = async (text, status) => {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      status.textContent = document.execCommand("copy") ? "Copied." : "Copying is not allowed here.";
      area.remove();
    }
  };
  const copyMethods = byId("copy-methods");
  if (copyMethods) {
    copyMethods.closest(".tools").hidden = false;
    copyMethods.addEventListener("click", () =>
      copy(byId("methods").textContent.trim() + "\n", byId("methods-status")));
  }

  const save = (address, name) => {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    if (address.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  // The table of features: what is shown, what is copied, and the arrow keys.
  const table = byId("feature-table");
  let first = Infinity; // how many features the slider looks at
  if (table) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const status = byId("status");
    const search = byId("search");
    const shown = () => [...body.rows].filter((row) => !row.hidden);
    document.querySelector("#features .tools").hidden = false;

    const show = () => {
      const wanted = search.value.trim().toLowerCase();
      for (const row of rows) {
        const found = `${value(row.cells[1])} ${row.cells[1].textContent}`.toLowerCase().includes(wanted);
        row.hidden = !found || Number(row.cells[0].textContent) > first;
      }
      const some = wanted || shown().length < rows.length;
      status.textContent = some ? `${shown().length} of ${rows.length} features` : "";
      rove(shown()[0]);
    };
    search.addEventListener("input", show);
    table.addEventListener("sizechange", show);

    byId("components")?.addEventListener("change", (event) => {
      for (const cell of all(".component", table)) cell.hidden = !event.target.checked;
    });

    // One row at a time is in the tab order; the arrow keys go to the others.
    let current;
    const rove = (row) => {
      if (current) current.tabIndex = -1;
      current = row;
      if (current) current.tabIndex = 0;
    };
    rove(rows[0]);
    for (const summary of all("summary", body)) summary.tabIndex = -1; // Enter on the row opens it
    body.addEventListener("keydown", (event) => {
      const row = event.target.closest("tr");
      const card = row.querySelector("details");
      if (event.key === "Enter" && event.target === row && card) card.open = !card.open;
      const visible = shown();
      const at = visible.indexOf(row);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: visible.length - 1 }[event.key];
      if (to === undefined || !visible[to]) return;
      event.preventDefault();
      rove(visible[to]);
      visible[to].focus();
    });

    byId("copy-names").addEventListener("click", () =>
      copy(shown().map((row) => value(row.cells[1])).join("\n") + "\n", status));
    byId("copy-python").addEventListener("click", () => copy(byId("python").textContent, status));

    byId("download").addEventListener("click", (event) => {
      download(table, event.target.dataset.name);
      status.textContent = "Downloaded.";
    });
  }

  // Classes: of many, the ones with the lowest recall come first, and the others behind a button.
  const rates = byId("rates");
  let allClasses = false;
  const worstFirst = () => {
    if (!rates?.dataset.worst) return;
    const body = rates.tBodies[0];
    const recall = (row) => parseFloat(row.cells[2].textContent);
    const rows = [...body.rows].sort((a, b) =>
      recall(a) - recall(b) || a.dataset.class - b.dataset.class);
    body.append(...rows);
    rows.forEach((row, i) => { row.hidden = !allClasses && i >= Number(rates.dataset.worst); });
  };
  const showClasses = byId("all-classes");
  if (showClasses) {
    showClasses.closest(".tools").hidden = false;
    showClasses.addEventListener("click", () => {
      allClasses = true;
      worstFirst();
      showClasses.hidden = true;
    });
  }
  worstFirst();

  // The slider over the numbers of features moves all that depends on the number.
  const sizes = byId("scores")?.dataset.sizes ? JSON.parse(byId("scores").dataset.sizes) : [];
  const slider = byId("size");
  let at = sizes[slider ? slider.value : 0];

  const moveForest = () => {
    for (const plot of all("svg.forest")) {
      const { left, scale, low } = plot.dataset;
      const x = (points) => (Number(left) + (points - low) * scale).toFixed(1);
      all(".row", plot).forEach((row, i) => {
        const now = at.forest[i];
        const line = row.querySelector(".interval");
        row.dataset.word = now.word;
        line.setAttribute("d", `M${x(now.low)} ${line.dataset.y}H${x(now.high)}`);
        row.querySelector(".mean").setAttribute("cx", x(now.mean));
        row.querySelector(".text").textContent = now.text;
        const word = row.querySelector(".word");
        if (word) word.textContent = now.word;
      });
    }
  };
  const moveCurve = () => {
    for (const plot of all("[data-name=sizes] svg")) {
      const marks = all("[id$=line-0] use", plot);
      marks.forEach((mark, i) => { mark.style.opacity = i === Number(slider.value) ? 1 : 0.45; });
    }
  };
  const moveConfusion = () => {
    const confusion = byId("confusion");
    if (!confusion) return;
    const lines = [...confusion.tBodies[0].rows];
    const total = lines.map((_, q) =>
      at.confusion.reduce((sum, [of, , n]) => sum + (of === q ? n : 0), 0));
    for (const cell of all("td", confusion)) {
      cell.textContent = "";
      cell.style.setProperty("--share", 0);
    }
    const digits = at.confusion.every(([, , n]) => Number.isInteger(n)) ? 0 : 1;
    for (const [of, predicted, n] of at.confusion) {
      const cell = lines[of].cells[predicted + 1];
      cell.textContent = n.toFixed(digits);
      cell.style.setProperty("--share", Math.sqrt(n / total[of]));
    }
    for (const row of rates.tBodies[0].rows) {
      const now = at.rates[row.dataset.class];
      [now.recall, now.precision, now.mostly].forEach((text, i) => {
        row.cells[i + 2].textContent = text;
      });
    }
    worstFirst();
  };
  const element = (tag, text) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };
  const moveMisclassified = () => {
    const list = document.querySelector(".mistakes");
    if (!list) return;
    const { total, rows } = at.misclassified;
    const say = (place, some) => {
      const groups = [];
      for (const one of some) {
        const title = `${one.class}, predicted ${one.predicted}`;
        if (groups.at(-1)?.firstChild.textContent !== title) {
          const group = element("div", "");
          group.className = "confusion";
          group.append(element("h4", title), element("ul", ""));
          groups.push(group);
        }
        const item = element("li", "");
        item.append(element("b", one.sample));
        if (one.n_repeats > 1) item.append(" ", element("small", `${one.n_wrong} of ${one.n_repeats}`));
        groups.at(-1).lastChild.append(item);
      }
      place.replaceChildren(...groups);
    };
    say(list, rows.slice(0, 8));
    const more = byId("more-mistakes");
    more.hidden = rows.length <= 8;
    say(more.querySelector(".mistakes"), rows.slice(8));
    const part = (name) => document.querySelector(`[data-misclassified=${name}]`);
    part("total").textContent = total || "No";
    part("word").textContent = total === 1 ? "sample" : "samples";
    part("note").hidden = !total;
    part("listed").hidden = total === rows.length;
    part("listed").textContent = ` The first ${rows.length} are listed.`;
  };
  const labels = table ? [...table.tBodies[0].rows].map((row) => row.cells[1]) : [];
  const moveGroups = () => {
    const list = document.querySelector(".groups");
    if (!list) return;
    list.replaceChildren(...at.groups.map((group) => {
      const [first, ...others] = group.map((rank) => labels[rank - 1].textContent);
      const item = element("li", "");
      item.append(element("b", first), `: ${others.join(", ")}`);
      return item;
    }));
    document.querySelector("[data-groups=note]").hidden = !at.groups.length;
    document.querySelector("[data-groups=none]").hidden = at.groups.length || !at.most_alike_text;
    byId("copy-groups").hidden = !at.groups.length;
    document.querySelector("[data-groups=total]").textContent = at.groups.length || "No";
    document.querySelector("[data-groups=word]").textContent = at.groups.length === 1 ? "group" : "groups";
  };
  const copyGroups = byId("copy-groups");
  if (copyGroups) {
    copyGroups.closest(".tools").hidden = false;
    copyGroups.addEventListener("click", () => {
      const repeated = new Set(at.groups.flatMap((group) => group.slice(1)));
      const names = labels.slice(0, at.size).filter((_, i) => !repeated.has(i + 1)).map(value);
      copy(names.join("\n") + "\n", byId("groups-status"));
    });
  }
  const moveChecks = () => {
    const links = new Map(all(".checks li").map((item) => [item.dataset.name, item.querySelector("a")]));
    for (const [id, passed] of [["open-checks", false], ["passed-checks", true]]) {
      byId(id).replaceChildren(...at.checks.filter((one) => one.passed === passed).map((one) => {
        const item = element("li", "");
        item.className = passed ? "passed" : "open";
        item.dataset.name = one.name;
        const mark = element("b", passed ? "✓" : "!");
        mark.setAttribute("aria-hidden", "true");
        const heard = element("span", passed ? "Passed:" : "Look at this:");
        heard.className = "hear";
        const text = element("span", "");
        text.append(heard, ` ${one.text}`);
        const link = links.get(one.name);
        if (link) text.append("\u00a0", link);
        item.append(mark, " ", text);
        return item;
      }));
    }
  };
  if (slider) {
    const move = () => {
      at = sizes[slider.value];
      byId("size-out").textContent = at.size;
      byId("size-word").textContent = at.size === 1 ? "feature" : "features";
      slider.setAttribute("aria-valuetext", at.heard);
      for (const part of all("[data-at]")) part.textContent = at[part.dataset.at] ?? part.textContent;
      at.rows.forEach((row, i) => {
        const cells = document.querySelector(".beside").tBodies[0].rows[i].cells;
        row.texts.forEach((text, j) => { cells[j + 1].textContent = text; });
      });
      all(".tiles div").forEach((tile, i) => {
        tile.querySelector("b").textContent = at.tiles[i].text;
        tile.querySelector("span").textContent = at.tiles[i].note;
      });
      moveChecks();
      for (const row of all("#best tbody tr, #feature-table tbody tr")) {
        const share = at.frequencies[(row.dataset.rank ?? row.cells[0].textContent) - 1];
        const cell = row.querySelector(".frequency");
        cell.textContent = share === null ? "–" : `${Math.round(100 * share)}\u00a0%`;
        cell.dataset.v = share ?? "";
      }
      for (const row of all("#best tbody tr")) row.hidden = Number(row.dataset.rank) > at.size;
      if (at.rows.length) {
        moveForest();
        moveConfusion();
        moveMisclassified();
      }
      moveCurve();
      moveGroups();
      first = at.size;
      table.dispatchEvent(new Event("sizechange"));
    };
    slider.addEventListener("input", move);
    slider.addEventListener("change", () => { byId("heard").textContent = at.headline; });
    slider.closest(".slider").hidden = false;
    moveCurve();
  }

  // Every figure can be taken along. Colours of the page are written into the copy.
  const painted = (svg) => {
    const copied = svg.cloneNode(true);
    const from = [svg, ...all("*", svg)];
    const rules = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap",
      "stroke-linejoin", "font-family", "font-size", "font-weight", "text-anchor", "overflow"];
    [copied, ...all("*", copied)].forEach((part, i) => {
      const style = getComputedStyle(from[i]);
      for (const rule of rules) part.style.setProperty(rule, style.getPropertyValue(rule));
    });
    const [, , width, height] = svg.getAttribute("viewBox").split(" ");
    copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copied.setAttribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
    copied.setAttribute("width", width);
    copied.setAttribute("height", height);
    copied.style.background = getComputedStyle(document.body).backgroundColor;
    return { text: new XMLSerializer().serializeToString(copied), width: Number(width), height: Number(height) };
  };
  const shownDrawing = (figure) => all("svg", figure).find((svg) => svg.getBoundingClientRect().width > 0);
  for (const figure of all("figure[data-name]")) {
    const name = figure.dataset.name;
    const bar = document.createElement("p");
    bar.className = "save";
    for (const kind of ["SVG", "PNG"]) {
      const button = element("button", kind);
      button.type = "button";
      button.setAttribute("aria-label", `Save the figure ${name} as ${kind}`);
      button.addEventListener("click", () => {
        const { text, width, height } = painted(shownDrawing(figure));
        if (kind === "SVG") {
          save(URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), `${name}.svg`);
          return;
        }
        const image = new Image();
        image.onload = () => {
          const canvas = document.createElement("canvas");
          const zoom = Math.max(2, 1600 / width);
          canvas.width = width * zoom;
          canvas.height = height * zoom;
          const pen = canvas.getContext("2d");
          pen.fillStyle = getComputedStyle(document.body).backgroundColor;
          pen.fillRect(0, 0, canvas.width, canvas.height);
          pen.drawImage(image, 0, 0, canvas.width, canvas.height);
          canvas.toBlob((blob) => save(URL.createObjectURL(blob), `${name}.png`));
        };
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      });
      bar.append(button);
    }
    figure.append(bar);
  }

  // A drawing that is wider than its place is moved with the arrow keys, too.
  const reach = () => {
    for (const drawing of all(".drawing")) {
      if (drawing.scrollWidth > drawing.clientWidth) drawing.tabIndex = 0;
      else drawing.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reach);
  reach();

  // Folded parts belong to a printed record.
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const part of all("details:not([open])")) {
      part.open = true;
      folded.push(part);
    }
  });
  addEventListener("afterprint", () => { for (const part of folded.splice(0)) part.open = false; });

  // Tooltips that also come with the keyboard, and at once.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  const texts = new Map();
  for (const element of all("[title]")) {
    texts.set(element, element.title);
    element.setAttribute("aria-description", element.title);
    element.removeAttribute("title");
  }
  for (const title of all("figure svg title")) {
    texts.set(title.parentElement, title.textContent);
    title.remove();
  }
  const tell = (element) => {
    tip.textContent = texts.get(element);
    tip.hidden = false;
    const box = element.getBoundingClientRect();
    const left = Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(4, left) + scrollX}px`;
    tip.style.top = `${(above < 0 ? box.bottom + 8 : above) + scrollY}px`;
  };
  const hide = () => { tip.hidden = true; };
  for (const element of texts.keys()) {
    element.addEventListener("pointerenter", () => tell(element));
    element.addEventListener("pointerleave", hide);
    if (element instanceof SVGElement) continue; // a point that listens to focus would be a tab stop
    element.addEventListener("focus", () => tell(element));
    element.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();

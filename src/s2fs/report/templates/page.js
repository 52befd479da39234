"use strict";
// Sorting, search, slider, copy, download and tooltips; the page can be read without any of them.
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
        const text = heading.classList.contains("text");
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

  // A filter shows some of the rows of its table.
  for (const filter of all(".filter")) {
    const pickers = all("select", filter);
    const rows = all("tbody tr", filter.closest("section"));
    const pick = () => {
      for (const row of rows) {
        row.hidden = pickers.some((picker) => picker.value && row.dataset[picker.name] !== picker.value);
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
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  for (const button of all("button.download")) {
    button.closest(".tools").hidden = false;
    button.addEventListener("click", () => download(byId(button.dataset.table), button.dataset.name));
  }

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
        const found = row.cells[1].textContent.toLowerCase().includes(wanted);
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
    body.addEventListener("keydown", (event) => {
      const row = event.target.closest("tr");
      const visible = shown();
      const at = visible.indexOf(row);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: visible.length - 1 }[event.key];
      if (to === undefined || !visible[to]) return;
      event.preventDefault();
      rove(visible[to]);
      visible[to].focus();
    });

    const copy = async (text) => {
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
    byId("copy-names").addEventListener("click", () =>
      copy(shown().map((row) => row.cells[1].textContent).join("\n") + "\n"));
    byId("copy-python").addEventListener("click", () => copy(byId("python").textContent));

    byId("download").addEventListener("click", (event) => {
      download(table, event.target.dataset.name);
      status.textContent = "Downloaded.";
    });
  }

  // The slider over the numbers of features moves verdict, tiles, table and confusion matrix.
  const slider = byId("size");
  if (slider) {
    const sizes = JSON.parse(byId("how-many").dataset.sizes);
    const move = () => {
      const at = sizes[slider.value];
      byId("size-out").textContent = at.size;
      slider.setAttribute("aria-valuetext", `${at.size} features`);
      for (const element of all("[data-at]")) element.textContent = at[element.dataset.at];
      const beside = document.querySelector(".beside");
      at.rows.forEach((row, i) => {
        const cells = beside.tBodies[0].rows[i].cells;
        const texts = [row.accuracy_text, row.interval_text, row.balanced_text];
        texts.forEach((text, j) => { cells[j + 1].textContent = text; });
      });
      const confusion = byId("confusion");
      if (confusion) {
        const lines = [...confusion.tBodies[0].rows];
        const total = lines.map((_, q) =>
          at.confusion.reduce((sum, [of, , n]) => sum + (of === q ? n : 0), 0));
        for (const cell of all("td", confusion)) {
          cell.textContent = "";
          cell.style.setProperty("--share", 0);
        }
        for (const [of, said, n] of at.confusion) {
          const cell = lines[of].cells[said + 1];
          cell.textContent = n;
          cell.style.setProperty("--share", n / total[of]);
        }
      }
      first = at.size;
      table.dispatchEvent(new Event("sizechange"));
    };
    slider.addEventListener("input", move);
    slider.closest(".slider").hidden = false;
  }

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
    element.addEventListener("focus", () => tell(element));
    element.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();

"use strict";
// Sorting, search, copy, download and tooltips; the page can be read without any of them.
(() => {
  const value = (cell) => cell.dataset.v ?? cell.textContent;

  // Sorting: a click on a heading sorts by it, a second one turns the order round.
  const collator = new Intl.Collator("en", { numeric: true });
  const number = (text) => Number(text.replace(/^(-?)inf$/, "$1Infinity"));
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
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
          const order = text ? collator.compare(a, b) : number(a) - number(b) || 0;
          return down ? -order : order;
        });
        body.append(...keyed.map(([, row]) => row));
      });
    });
  }

  // A switch shows one of the figures of its section.
  for (const choice of document.querySelectorAll(".switch")) {
    const pickers = [...choice.querySelectorAll("select")];
    const figures = choice.closest("section").querySelectorAll("figure[data-dataset]");
    const pick = () => {
      for (const figure of figures) {
        figure.hidden = pickers.some((picker) => figure.dataset[picker.name] !== picker.value);
      }
    };
    pickers.forEach((picker) => picker.addEventListener("change", pick));
    choice.hidden = false;
    pick();
  }

  // Search, copy and download of the table that has tools.
  const table = document.getElementById("ranking-table");
  if (table) {
    const rows = [...table.tBodies[0].rows];
    const status = document.getElementById("status");
    document.querySelector("#ranking .tools").hidden = false;

    document.getElementById("search").addEventListener("input", (event) => {
      const wanted = event.target.value.trim().toLowerCase();
      let found = 0;
      for (const row of rows) {
        row.hidden = !row.cells[1].textContent.toLowerCase().includes(wanted);
        found += !row.hidden;
      }
      status.textContent = wanted ? `${found} of ${rows.length} features` : "";
    });

    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = (join, write) =>
      [table.tHead.rows[0], ...[...table.tBodies[0].rows].filter((row) => !row.hidden)]
        .map((row) => [...row.cells].map((cell) => write(value(cell))).join(join) + "\n")
        .join("");

    document.getElementById("copy").addEventListener("click", async () => {
      const text = lines("\t", (cell) => cell.replace(/\s+/g, " "));
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
    });

    const download = document.getElementById("download");
    download.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([lines(",", quoted)], { type: "text/csv" }));
      link.download = download.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      status.textContent = "Downloaded.";
    });
  }

  // Tooltips that also come with the keyboard, and at once.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  const texts = new Map();
  for (const element of document.querySelectorAll("[title]")) {
    texts.set(element, element.title);
    element.setAttribute("aria-description", element.title);
    element.removeAttribute("title");
  }
  for (const title of document.querySelectorAll("figure svg title")) {
    texts.set(title.parentElement, title.textContent);
    title.remove();
  }
  const show = (element) => {
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
    element.addEventListener("pointerenter", () => show(element));
    element.addEventListener("pointerleave", hide);
    element.addEventListener("focus", () => show(element));
    element.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();

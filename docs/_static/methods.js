// Filters the table of methods by words and by what a method can do, and sorts it by a column.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector(".methods-table table, table.methods-table");
  if (!table) return;
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies[0].rows];
  const form = document.createElement("form");
  form.className = "method-filter";
  form.setAttribute("role", "search");
  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "Filter methods";
  words.setAttribute("aria-label", "Filter methods");
  form.append(words);
  const boxes = ["mixed records", "optimal", "deterministic", "GPU"]
    .filter((name) => heads.includes(name))
    .map((name) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      label.append(box, ` ${name}`);
      form.append(label);
      return [box, heads.indexOf(name)];
    });
  const count = document.createElement("output");
  form.append(count);
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const matches = wanted.every((word) => text.includes(word))
        && boxes.every(([box, column]) => !box.checked || row.cells[column].textContent.trim() !== "no");
      row.hidden = !matches;
      shown += matches;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  const body = table.tBodies[0];
  const sortBy = (column, head) => {
    const falling = head.getAttribute("aria-sort") === "ascending";
    const value = (row) => row.cells[column].textContent.trim();
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      const difference = parseFloat(x) - parseFloat(y);
      return Number.isNaN(difference) ? x.localeCompare(y) : difference;
    };
    [...table.tHead.rows[0].cells].forEach((cell) => cell.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    rows.sort((a, b) => (falling ? -compare(a, b) : compare(a, b)));
    body.append(...rows);
  };
  heads.forEach((name, column) => {
    const head = table.tHead.rows[0].cells[column];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.title = `Sort by ${name}`;
    button.addEventListener("click", () => sortBy(column, head));
    head.replaceChildren(button);
  });
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  table.parentElement.before(form);
  show();
});

// The page works without this script; it adds live counts, live progress and dropping of files.

const counted = document.querySelector("form[data-count]");
if (counted) {
  const target = document.getElementById("counted");
  let latest = 0;
  counted.addEventListener("change", async (event) => {
    const row = event.target.closest("tr");
    if (row && event.target.name.startsWith("role-")) row.className = "role-" + event.target.value;
    const mine = ++latest;
    target.setAttribute("aria-busy", "true");
    const response = await fetch(counted.dataset.count, { method: "POST", body: new FormData(counted) });
    const text = await response.text();
    if (mine !== latest || !response.ok) return;
    const parsed = new DOMParser().parseFromString(text, "text/html");
    target.replaceChildren(...parsed.body.childNodes);
    target.removeAttribute("aria-busy");
  });
}

const followed = document.querySelector("[data-events]");
if (followed) {
  const source = new EventSource(followed.dataset.events);
  const bar = document.getElementById("bar");
  source.onmessage = (event) => {
    const run = JSON.parse(event.data);
    document.getElementById("what").textContent = run.what;
    document.getElementById("seconds").textContent = run.seconds;
    if (run.total > 0) {
      bar.max = run.total;
      bar.value = run.done;
    } else {
      bar.removeAttribute("value");
    }
    if (run.state !== "running") {
      source.close();
      location.reload();
    }
  };
}

if (document.querySelector("[data-follow]")) setTimeout(() => location.reload(), 2000);

const drop = document.querySelector("form[data-drop]");
if (drop) {
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    const input = drop.querySelector("input[type=file]");
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    drop.requestSubmit();
  });
}

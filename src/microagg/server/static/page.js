// The page works without this script. It adds live counts and progress, dropped files, and the
// sentence on the chosen method.

const status = document.getElementById("status");

function each(selector, act, root = document) {
  for (const element of root.querySelectorAll(selector)) act(element);
}

// Counts as roles change: the answer to the latest change wins.
function countRoles(form) {
  const target = document.getElementById("counted");
  let latest = 0;
  form.addEventListener("change", async (event) => {
    const row = event.target.closest("tr");
    if (row && event.target.name.startsWith("role-")) row.dataset.role = event.target.value;
    if (row && event.target.name.startsWith("kind-")) {
      each(".order", (order) => (order.hidden = event.target.value !== "ordinal"), row);
      return;
    }
    const own = ++latest;
    target.setAttribute("aria-busy", "true");
    const response = await fetch(form.dataset.count, { method: "POST", body: new FormData(form) });
    const text = await response.text();
    if (own !== latest) return;
    target.removeAttribute("aria-busy");
    if (response.ok) target.replaceChildren(...parsed(text).body.childNodes);
  });
  // A choice may precede this script: a quick user's, or one that the browser restores on the way back.
  each("select", (select) => {
    const initial = [...select.options].findIndex((option) => option.defaultSelected);
    if (select.selectedIndex === Math.max(initial, 0)) return;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }, form);
}

function parsed(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

// The sentence on the chosen method; the effort is for the method auto alone.
function describeMethod(select) {
  const show = () => {
    const option = select.selectedOptions[0];
    const takes = option.dataset.parameters;
    document.getElementById("about-method").textContent =
      option.dataset.about + (takes && option.value !== "auto" ? ` Parameters: ${takes}.` : "");
    each("[data-effort]", (effort) => (effort.hidden = option.value !== "auto"));
  };
  select.addEventListener("change", show);
  show();
}

// A form that takes a while says so, and cannot be sent twice.
function tellBusy(form) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented || !form.reportValidity()) return;
    status.textContent = form.dataset.busy;
    const button = event.submitter ?? form.querySelector("button");
    setTimeout(() => {
      each("button", (other) => (other.disabled = true), form);
      button.dataset.words = button.textContent;
      button.textContent = form.dataset.busy;
    });
  });
}
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  each("button[data-words]", (button) => (button.textContent = button.dataset.words));
  each("button:disabled", (button) => (button.disabled = false));
});

// A file may be dropped anywhere on the first page; one that is too large is not sent at all.
function takeDrops(form) {
  const input = form.querySelector("input[type=file]");
  const problem = document.getElementById("file-problem");
  const check = () => {
    const large = input.files.length > 0 && input.files[0].size > Number(form.dataset.limit);
    problem.textContent = large ? form.dataset.tooLarge : "";
    problem.hidden = !large;
    return !large;
  };
  input.addEventListener("change", check);
  form.addEventListener("submit", (event) => {
    if (!check()) event.preventDefault();
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) form.classList.remove("over");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

// Progress arrives as events; a run that changes its state makes the page fetch itself again.
let stream = null;
let clock = null;

function follow(element) {
  stream = new EventSource(element.dataset.events);
  stream.onmessage = (event) => {
    let ended = true;
    let changed = false;
    for (const run of JSON.parse(event.data)) {
      ended &&= run.state !== "waiting" && run.state !== "running";
      const shown = document.querySelector(`[data-run="${run.id}"]`);
      if (!shown) continue;
      changed ||= shown.dataset.state !== run.state;
      showProgress(shown, run);
    }
    if (ended) stop();
    if (changed) refresh();
  };
  clock = setInterval(() => each(".seconds", (seconds) => tick(seconds)), 1000);
}

function showProgress(shown, run) {
  const what = shown.querySelector(".what");
  if (what.textContent !== run.what) what.textContent = run.what;
  const bar = shown.querySelector("progress");
  if (!bar) return;
  if (run.total > 0) {
    bar.max = run.total;
    bar.value = run.done;
  } else {
    bar.removeAttribute("value");
  }
  const percent = Math.floor((100 * run.done) / run.total);
  each(".steps", (steps) => (steps.textContent = run.total > 0 ? `${percent} %,` : ""), shown);
  each(".seconds", (seconds) => (seconds.dataset.seconds = run.seconds), shown);
  each(".compiling", (notice) => (notice.hidden = !run.what.startsWith("Compiling")), shown);
}

function tick(seconds) {
  seconds.dataset.seconds = Number(seconds.dataset.seconds) + 1;
  seconds.textContent = `${Math.round(seconds.dataset.seconds)} s`;
}

function stop() {
  stream?.close();
  clearInterval(clock);
  stream = clock = null;
}

async function refresh() {
  stop();
  const response = await fetch(location.href);
  const page = parsed(await response.text());
  const focused = document.activeElement?.id;
  document.getElementById("main").replaceChildren(...page.getElementById("main").childNodes);
  document.title = page.title;
  const heading = document.querySelector(".verdict h2, main .state, main [role=alert]");
  status.textContent = heading ? `A run has ended. ${document.title}` : document.title;
  if (focused) (document.getElementById(focused) ?? document.getElementById("main")).focus();
  begin();
}

function begin() {
  each("form[data-count]", countRoles);
  each("form[data-drop]", takeDrops);
  each("form[data-busy]", tellBusy);
  each("[data-methods]", describeMethod);
  each("[data-events]", follow);
}

begin();

// Sphinx marks every word of a query in the results. In a query such as "t-closeness", one of them is a letter,
// which occurs in nearly every word: such marks are removed.
document.addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("search-results");
  if (!results) return;
  const clean = () => {
    for (const mark of results.querySelectorAll(".highlighted")) {
      if (mark.textContent.trim().length < 2) mark.replaceWith(mark.textContent);
    }
  };
  new MutationObserver(clean).observe(results, { childList: true, subtree: true });
});

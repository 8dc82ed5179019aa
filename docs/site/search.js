// Finds the sections in which all words stand; those with a word in their headline, or their page's title, come first.
(function () {
  "use strict";
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const up = document.body.dataset.up;

  function score(row, words) {
    const [, title, headline, text] = row.map((part) => part.toLowerCase());
    let sum = 0;
    for (const word of words) {
      const here = (headline.includes(word) ? 8 : 0) + (title.includes(word) ? 4 : 0) + (text.includes(word) ? 1 : 0);
      if (here === 0) return 0;
      sum += here;
    }
    return sum;
  }

  function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 160);
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const rows = searchIndex.map((row) => [score(row, words), row]).filter(([points]) => points > 0);
    rows.sort((a, b) => b[0] - a[0]);
    list.replaceChildren();
    for (const [, [address, title, headline, text]] of rows.slice(0, 20)) {
      const link = document.createElement("a");
      link.href = up + address;
      link.textContent = headline === title ? title : `${title}: ${headline}`;
      const more = document.createElement("small");
      more.textContent = excerpt(text, words[0]);
      const item = document.createElement("li");
      item.append(link, more);
      list.append(item);
    }
    if (words.length > 0 && rows.length === 0) list.append("Nothing has all of these words.");
    list.hidden = words.length === 0;
  }

  field.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if ((event.key === "/" || event.key === "s") && document.activeElement !== field && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === "Escape") {
      field.value = "";
      show();
    }
  });
})();

// Choose all documents of the page at once, and say how many are chosen. Without this the boxes work one by one.
"use strict";
const all = document.getElementById("all");
const boxes = [...document.querySelectorAll("input[name=entry][type=checkbox]")];
const said = document.getElementById("chosen");
if (all && said && boxes.length) {
  const tell = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && !all.checked;
    said.textContent = `(${chosen})`;
  };
  all.hidden = false;
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; tell(); });
  for (const box of boxes) box.addEventListener("change", tell);
  tell();
}

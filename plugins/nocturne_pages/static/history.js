// On a page that answers a form: once a person sends what it asks, going back reads its address, and sends nothing again.
// A form that stays on its page, of a text and its marks, is left as it is: going back finds the marks of before.
"use strict";
document.addEventListener("submit", (sent) => {
  if (!("stays" in sent.target.dataset)) history.replaceState(null, "", location.href);
});

"use strict";
for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.closest(".copied").querySelector("pre");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(text);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(text.textContent + "\n");
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected";
    }
  });
}

// Light or dark as Airflow is at this moment. Runs before the first paint; Airflow is the page around this frame, or was.
(function () {
  "use strict";
  const page = document.documentElement;

  function around() {
    try {
      return window.parent === window ? null : window.parent.document.documentElement;
    } catch (error) {
      return null; // framed by something that is not our Airflow
    }
  }

  function chosen() {
    const outer = around();
    if (outer && outer.classList.contains("dark")) return "dark";
    if (outer && outer.classList.contains("light")) return "light";
    try {
      const kept = window.localStorage.getItem("theme");
      if (kept === "dark" || kept === "light") return kept;
    } catch (error) {
      // storage is forbidden: the system decides
    }
    return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  function apply() {
    const theme = chosen();
    if (page.dataset.theme === theme) return;
    page.dataset.theme = theme;
    window.dispatchEvent(new Event("truecopy:theme"));
  }

  apply();
  const outer = around();
  if (outer) new MutationObserver(apply).observe(outer, { attributes: true, attributeFilter: ["class"] });
  window.addEventListener("storage", apply);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
})();

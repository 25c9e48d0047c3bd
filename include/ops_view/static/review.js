// The review queue by keyboard. Every key does what something on the page does too; none works in a field.
(function () {
  "use strict";
  const KEPT = "truecopy-keys";
  const list = document.querySelector("[data-many]");
  const decide = document.querySelector("[data-decide]");
  const help = document.getElementById("keys");
  const rows = Array.from(document.querySelectorAll("[data-row]"));
  let at = -1;

  // Keys arrive in a frame that has the focus. It is taken only where nothing else on Airflow's page has it.
  try {
    const outer = window.parent.document;
    if (window.parent !== window && outer.activeElement === outer.body) window.focus();
  } catch (error) {
    // framed by something that is not our Airflow
  }

  function wanted() {
    try {
      return window.localStorage.getItem(KEPT) !== "off";
    } catch (error) {
      return true;
    }
  }

  function go(step) {
    const link = document.querySelector(step > 0 ? "[data-next]" : "[data-previous]");
    if (link) link.click();
    if (!rows.length) return;
    at = Math.min(Math.max(at + step, 0), rows.length - 1);
    for (const row of rows) row.classList.toggle("at", row === rows[at]);
    rows[at].querySelector("[data-open]").focus();
  }

  function count() {
    const chosen = list.querySelectorAll("[name=item]:checked").length;
    list.querySelector("[data-count]").textContent = chosen ? chosen + " chosen" : "none chosen";
    list.querySelector("[data-all]").checked = chosen === rows.length;
  }

  function choose(key) {
    const option = list && list.querySelector('option[data-key="' + key + '"]');
    if (option) {
      option.selected = true;
      list.querySelector("[name=reason]").focus();
      return true;
    }
    const radio = decide && decide.querySelector('input[data-key="' + key + '"]');
    if (!radio) return false;
    const around = radio.closest("details");
    if (around) around.open = true;
    radio.click();
    const field = decide.querySelector(radio.value === "extend" ? "[name=until]" : "[name=reason]");
    field.focus();
    if (field.select) field.select();
    return true;
  }

  // Whoever follows the evidence may give it as the reason; whoever decides against it has one of their own.
  if (decide) {
    const reason = decide.querySelector("[name=reason]");
    let offered = "";
    decide.addEventListener("change", function (event) {
      if (event.target.name !== "disposition") return;
      if (reason.value && reason.value !== offered) return;
      offered = "follows" in event.target.dataset ? decide.dataset.usual : "";
      reason.value = offered;
    });
  }

  if (list) {
    list.addEventListener("change", function (event) {
      if ("all" in event.target.dataset) {
        for (const box of list.querySelectorAll("[name=item]")) box.checked = event.target.checked;
      }
      count();
    });
    count();
  }

  for (const row of rows) {
    row.addEventListener("focusin", function () {
      at = rows.indexOf(row);
    });
  }

  const keysOn = document.querySelector("[data-keys-on]");
  if (keysOn) {
    keysOn.checked = wanted();
    keysOn.addEventListener("change", function () {
      try {
        window.localStorage.setItem(KEPT, keysOn.checked ? "on" : "off");
      } catch (error) {
        // storage is forbidden: keys stay on
      }
    });
  }

  document.addEventListener("keydown", function (event) {
    const field = event.target.closest("input:not([type=checkbox]):not([type=radio]), select, textarea");
    if (field && event.key === "Escape") field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey || !wanted() || (help && help.open)) return;
    if (event.key === "?") help.showModal();
    else if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "x" && list && at >= 0) rows[at].querySelector("[name=item]").click();
    else if (!choose(event.key)) return;
    event.preventDefault();
  });
})();

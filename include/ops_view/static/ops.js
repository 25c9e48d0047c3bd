// Small things that pages need in Airflow's frame: links to Airflow's own pages, dialogs, rows that can be searched.
(function () {
  "use strict";

  function framed() {
    try {
      return window.parent !== window && Boolean(window.parent.document);
    } catch (error) {
      return false;
    }
  }

  // The frame may not navigate the page around it, but Airflow's router listens to its own history.
  document.addEventListener("click", function (event) {
    const link = event.target.closest("a[data-airflow-link]");
    if (!link || !framed() || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const address = new URL(link.href);
    window.parent.history.pushState({}, "", address.pathname + address.search);
    window.parent.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  });

  // <button data-opens="id"> opens the <dialog id="id">; in it <button data-closes> closes it.
  document.addEventListener("click", function (event) {
    const opens = event.target.closest("[data-opens]");
    if (opens) document.getElementById(opens.dataset.opens).showModal();
    const closes = event.target.closest("[data-closes]");
    if (closes) closes.closest("dialog").close();
  });

  // A form is sent once, however often somebody clicks while the answer is on its way.
  document.addEventListener("submit", function (event) {
    if (event.target.method !== "post" || event.defaultPrevented) return;
    if (event.target.dataset.sent) {
      event.preventDefault();
      return;
    }
    event.target.dataset.sent = "yes";
    for (const button of event.target.querySelectorAll("button:not([data-closes])")) button.setAttribute("aria-busy", "true");
  });

  // Coming back by the browser's history shows the form as it was sent; it may be sent again then.
  window.addEventListener("pageshow", function () {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
    }
  });
})();

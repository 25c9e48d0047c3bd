// Draws every <figure data-chart="[[seconds…],[values…]]"> with uPlot, in the colours of the page.
(function () {
  "use strict";
  const drawn = new Map();

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function days(plot, moments) {
    const within = plot.scales.x.max - plot.scales.x.min < 2 * 86400;
    const shown = within ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { day: "numeric", month: "short" };
    return moments.map(function (seconds) {
      return new Date(seconds * 1000).toLocaleString(undefined, { ...shown, timeZone: "UTC" });
    });
  }

  function options(figure, plot) {
    const small = figure.hasAttribute("data-small");
    const line = { stroke: colour("--accent"), width: 2, fill: colour("--accent-soft"), points: { show: !small, size: 5 } };
    const axis = {
      stroke: colour("--quiet"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
    };
    return {
      width: Math.max(60, plot.clientWidth),
      height: small ? 36 : 160,
      cursor: { show: !small, drag: { x: false, y: false } },
      legend: { show: false },
      padding: small ? [4, 2, 4, 2] : [8, 12, 0, 0],
      scales: {
        y: {
          range: function (_, low, high) {
            if (low === high) return [Math.min(0, low), high > 0 ? high * 1.5 : 1];
            const room = (high - low) * 0.15;
            return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
          },
        },
      },
      axes: small ? [{ show: false }, { show: false }] : [{ ...axis, values: days }, { ...axis, size: 56 }],
      series: [{}, line],
    };
  }

  function draw(figure) {
    const plot = figure.querySelector(".plot");
    if (!plot || plot.clientWidth === 0) return;
    const data = JSON.parse(figure.dataset.chart);
    if (drawn.has(figure)) drawn.get(figure).destroy();
    drawn.set(figure, new uPlot(options(figure, plot), data, plot));
  }

  function all(within) {
    for (const figure of within.querySelectorAll("figure[data-chart]")) draw(figure);
  }

  all(document);
  window.addEventListener("truecopy:theme", function () {
    all(document);
  });
  document.addEventListener("htmx:afterSwap", function (event) {
    all(event.target);
  });
  let waiting = 0;
  window.addEventListener("resize", function () {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(function () {
      all(document);
    });
  });
})();

"""The ops view: pages inside Airflow's UI that say whether the index is true, what happened, what waits for a person.

How a page is added
-------------------
1. `include/ops_view/pages/<name>.py` with `ENTRY = Entry(label, path)` for the menu (`None` for a page that is reached
   from others) and `def routes(view: View) -> APIRouter`. Add the module to `PAGES` in `pages/__init__.py`: that is
   all. Tests of pages without a browser: `tests/ops_pages.py`; `python -m tests.ops_preview` shows all of them with
   example data.
2. A route that shows something takes `person: Person = Depends(view.reader)` and returns
   `view.page(request, person, "<name>.html", …)`. The whole router stands behind the reader, who is anybody that may
   see the runs of `reconcile_index`.
3. A route that changes something is a POST of a form and takes `Depends(view.decider("<dag>"))` instead: it lets those
   pass who may start that DAG, and refuses what another site made a browser send. It ends in
   `view.back_to(request, path)`. In templates `{% if person.decides("<dag>") %}` shows the button to those who may
   press it.
4. Facts come from `view.application()` and the same functions in `include.wiring` that the command line calls, so that
   pages, command line, gauges and API cannot disagree. Plain `def` routes run in a thread and may read files.
5. Templates extend `base.html`, link with `{{ root }}/path` and `{{ root }}{{ path_of("held", source, q=query) }}`,
   and escape everything by themselves: never `|safe`, never a `style=` or `on…=` attribute (the content security
   policy refuses them), never `target=`. Filters: `|when`, `|ago`, `|span`, `|number`, `|percent`,
   `|counted("document")`, `|prose` for a sentence of ours with commands between backticks. Macros: `parts.html`,
   among them `airflow_run(airflow, dag, run)` for a link to a run in Airflow. Data for scripts go into
   `data-…='{{ value|tojson }}'`.
6. Scripts are files in `static/`: `ops.js` has links into Airflow, dialogs (`data-opens`, `data-closes`) and forms,
   `charts.js` draws `<figure data-chart>`, htmx is there for `hx-get`. In Airflow the pages stand in a sandboxed
   frame: `confirm()`, `target=_blank` and `target=_top` do nothing there.
7. Styles are in `static/ops.css`, by what a thing is: `card`, `facts`, `note`, `scroll` (a table; with `rows` and
   `data-label` on each cell it becomes cards on a phone), `filters`, `decide`, `state is-…`. Colours only by variable,
   or the dark theme breaks. What one page alone needs stands in files of its name, named in its `{% block head %}`.

An error of truecopy (`TruecopyError`) becomes a page that says what is wrong and what to do; what is unforeseen becomes
one that points to the log. Airflow's own pages go on in either case.
"""

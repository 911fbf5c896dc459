// What a flame graph does in a browser; flame-graph.ts writes its data into the page.

import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';

const { unit, frame } = JSON.parse(document.getElementById('data').textContent);

const chart = flamegraph()
  .width(document.body.clientWidth)
  .inverted(true)
  .sort(true)
  .transitionDuration(0)
  .minFrameSize(1)
  .setLabelHandler(describe)
  .setDetailsElement(document.getElementById('details'));
select('#graph').datum(frame).call(chart);

document.querySelector('input').addEventListener('input', ({ target }) => {
  if (target.value === '') chart.clear();
  else chart.search(target.value);
});

function describe({ data }) {
  const percent = ((100 * data.value) / frame.value).toFixed(1);
  return `${data.name}: ${data.value.toFixed(1)} ${unit}, ${percent} %`;
}

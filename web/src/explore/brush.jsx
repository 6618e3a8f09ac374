import { useState } from 'preact/hooks';

import { countOf } from './texts.js';

// Brush lets the viewer select bars of a chart, by dragging over it or by keys, and zooms to them. chart is a
// reference to the chart, which is the child.
export function Brush({ bars, chart, zoom, children }) {
  const [selected, select] = useState(null);
  const [low, high] = selected ? [Math.min(...selected), Math.min(bars.length - 1, Math.max(...selected))] : [];
  const some = bars.slice(low, high + 1);
  const done = () => {
    select(null);
    if (some.length > 0 && some.length < bars.length) zoom([some[0].from, some.at(-1).to]);
  };
  const at = ({ clientX, currentTarget }) => {
    const x = chart.current.scales.x.getValueForPixel(clientX - currentTarget.getBoundingClientRect().left);
    return Math.max(0, Math.min(bars.length - 1, x));
  };
  const press = (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    select([at(event), at(event)]);
  };
  const drag = (event) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) select([selected[0], at(event)]);
  };
  // A press without a drag shows a tooltip.
  const release = () => (low === high ? select(null) : done());
  const type = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const next = Math.max(0, Math.min(bars.length - 1, selected ? selected[1] + step : bars.length - 1));
      select([event.shiftKey && selected ? selected[0] : next, next]);
    } else if (event.key === 'Enter' && selected) done();
    else if (event.key === 'Escape') select(null);
    else return;
    event.preventDefault();
  };
  const sum = (name) => some.reduce((total, bar) => total + bar[name], 0);
  return (
    <>
      <div
        class="chart"
        role="group"
        aria-label="Select bars: drag over the chart, or move with the arrow keys, extend with Shift, zoom with Enter"
        tabIndex={0}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={() => select(null)}
        onKeyDown={type}
        onBlur={() => select(null)}
      >
        {children}
        {selected && <div class="brush" style={place(chart.current, low, high, bars.length)} />}
      </div>
      <p class="soft" role="status">
        {selected
          ? `${some[0].name}${high > low ? ` to ${some.at(-1).name}` : ''}: ${countOf(sum('mints'), 'mint')}, ${countOf(sum('burns'), 'burn')}`
          : 'Drag over bars to zoom in.'}
      </p>
    </>
  );
}

// place returns the style of the mark of the selected bars.
function place({ chartArea, scales: { x } }, low, high, bars) {
  const width = x.width / bars;
  return {
    left: `${x.getPixelForValue(low) - width / 2}px`,
    width: `${width * (high - low + 1)}px`,
    top: `${chartArea.top}px`,
    height: `${chartArea.height}px`,
  };
}

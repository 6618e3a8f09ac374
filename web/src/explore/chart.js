import { BarController, BarElement, CategoryScale, Chart, LinearScale, LineController, LineElement, PointElement, Tooltip } from 'chart.js';

import { count } from './texts.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LineController, LineElement, PointElement, Tooltip);

// draw returns a new chart of bars on a canvas: mints upwards and burns downwards, or both upwards, each on
// an axis of its own, and the supply as a line. Bars with blocks that are not indexed are hatched. unit names the
// length of a bar. The colours and the font are those of the key, in the present theme.
export function draw(canvas, { bars, unit, own, supply }, key) {
  const style = getComputedStyle(key);
  const color = (name) => getComputedStyle(key.querySelector(`.of-${name}`)).color;
  const font = { family: style.fontFamily, size: 12 };
  const ticks = { color: style.color, font };
  // A narrow chart has no room for titles; the key names the units too.
  const title = (text) => ({ display: ({ chart }) => chart.width > 480, text, color: style.color, font });
  const axis = (position, text, more) => ({
    position,
    title: title(text),
    border: { display: false },
    grid: { color: style.borderTopColor, drawOnChartArea: position === 'left' },
    ticks: { ...ticks, precision: 0, maxTicksLimit: 6, callback: (value) => count(value) },
    ...more,
  });
  const records = (label, sign, more) => ({ label, data: bars.map((bar) => sign * bar[label]), backgroundColor: color(label), ...more });
  return new Chart(canvas, {
    type: 'bar',
    data: {
      labels: bars.map(({ name }) => name),
      datasets: [
        supply && { type: 'line', label: 'supply', data: bars.map((bar) => bar.supply), yAxisID: 'supply', borderColor: color('supply'), backgroundColor: color('supply'), borderWidth: 2, pointRadius: 0 },
        records('mints', 1, { stack: 'mints' }),
        records('burns', own ? 1 : -1, own ? { stack: 'burns', yAxisID: 'burns' } : { stack: 'mints' }),
      ].filter(Boolean),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      maxBarThickness: 40,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: { title: title('time, UTC'), grid: { display: false }, border: { color: style.borderTopColor }, ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 } },
        y: axis('left', own ? `mints per ${unit}` : `burns, mints per ${unit}`),
        ...(own && { burns: axis('right', `burns per ${unit}`, { beginAtZero: true }) }),
        ...(supply && { supply: axis('right', 'supply, records') }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            label: ({ dataset, dataIndex }) => ` ${count(bars[dataIndex][dataset.label])} ${dataset.label}`,
            footer: ([{ dataIndex }]) => (bars[dataIndex].unknown ? 'at least; not all blocks are indexed' : ''),
          },
        },
      },
    },
    plugins: [{ id: 'unknown', beforeDatasetsDraw: (chart) => hatch(chart, bars, style.color) }],
  });
}

// hatch fills the columns of unknown bars.
function hatch({ ctx, chartArea, scales: { x } }, bars, color) {
  const width = x.width / bars.length;
  ctx.save();
  ctx.fillStyle = pattern(ctx, color);
  bars.forEach(({ unknown }, i) => {
    if (unknown) ctx.fillRect(x.getPixelForValue(i) - width / 2, chartArea.top, width, chartArea.height);
  });
  ctx.restore();
}

function pattern(ctx, color) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const t = tile.getContext('2d');
  t.strokeStyle = color;
  t.globalAlpha = 0.5;
  for (const x of [-4, 4, 12]) {
    t.moveTo(x - 4, 12);
    t.lineTo(x + 12, -4);
  }
  t.stroke();
  return ctx.createPattern(tile, 'repeat');
}

// pictureOf returns the chart of a canvas as a PNG, with a title above it.
export function pictureOf(canvas, title) {
  const copy = document.createElement('canvas');
  const scale = canvas.width / canvas.clientWidth;
  const style = getComputedStyle(canvas.closest('section'));
  const line = 32 * scale;
  [copy.width, copy.height] = [canvas.width, canvas.height + line];
  const context = copy.getContext('2d');
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, copy.width, copy.height);
  context.fillStyle = style.color;
  context.font = `${13 * scale}px ${style.fontFamily}`;
  context.fillText(title, 8 * scale, 20 * scale, copy.width - 16 * scale);
  context.drawImage(canvas, 0, line);
  return new Promise((resolve) => copy.toBlob(resolve, 'image/png'));
}

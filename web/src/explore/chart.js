import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';

import { count } from './texts.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

// drawChart draws mints upwards and burns downwards, and hatches the columns of rows with
// blocks that are not indexed. The colours come from the key and follow the theme.
export function drawChart({ canvas, key, rows }) {
  let chart = draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    chart.destroy();
    chart = draw();
  });

  function draw() {
    const color = (selector) => getComputedStyle(key.querySelector(selector) ?? key).color;
    const [mint, burn, soft] = [color('.of-mints'), color('.of-burns'), color('none')];
    const line = getComputedStyle(key).borderTopColor;
    const fontFamily = getComputedStyle(key).fontFamily;
    const ticks = { color: soft, font: { family: fontFamily, size: 12 } };
    return new Chart(canvas, {
      type: 'bar',
      data: {
        labels: rows.map(({ name }) => name),
        datasets: [
          { label: 'mints', data: rows.map(({ mints }) => mints), backgroundColor: mint, stack: 'one' },
          { label: 'burns', data: rows.map(({ burns }) => -burns), backgroundColor: burn, stack: 'one' },
        ],
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        maxBarThickness: 40,
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: { grid: { display: false }, border: { color: line }, ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 } },
          y: { grid: { color: line }, border: { display: false }, ticks: { ...ticks, precision: 0, maxTicksLimit: 6, callback: (value) => count(Math.abs(value)) } },
        },
        plugins: {
          tooltip: {
            callbacks: {
              label: ({ dataset, raw }) => ` ${count(Math.abs(raw))} ${dataset.label}`,
              footer: ([{ dataIndex }]) => (rows[dataIndex].unknown ? 'at least; not all blocks are indexed' : ''),
            },
          },
        },
      },
      plugins: [{ id: 'unknown', beforeDatasetsDraw: (chart) => hatch(chart, rows, soft) }],
    });
  }
}

// hatch fills the columns of unknown rows.
function hatch({ ctx, chartArea, scales }, rows, color) {
  const width = scales.x.width / rows.length;
  ctx.save();
  ctx.fillStyle = pattern(ctx, color);
  rows.forEach(({ unknown }, i) => {
    if (unknown) ctx.fillRect(scales.x.getPixelForValue(i) - width / 2, chartArea.top, width, chartArea.height);
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

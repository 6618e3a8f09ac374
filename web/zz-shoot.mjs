import { chromium } from 'playwright-core';
const [base, out, ...paths] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: ['--no-sandbox','--disable-gpu','--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] });
for (const [scheme, width] of (process.env.MODES ?? 'light-1280,dark-1280,light-320').split(',').map(m => m.split('-'))) {
  const context = await browser.newContext({ viewport: { width: +width, height: 800 }, colorScheme: scheme });
  const page = await context.newPage();
  page.on('console', m => ['error','warning'].includes(m.type()) && console.log('console', m.text()));
  page.on('pageerror', e => console.log('pageerror', e.stack));
  let requests = 0;
  page.on('request', r => { if (r.method() === 'POST') requests++ });
  for (const p of paths) {
    requests = 0;
    await page.goto(base + p);
    await page.locator('.explore section').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('.explore [aria-busy]'), null, { polling: 100 });
    await page.waitForTimeout(+(process.env.WAIT ?? 600));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > +width) console.log('WIDE', p, wide, await page.evaluate((w) => [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > w + 1).slice(0, 8).map(e => e.tagName + '.' + e.className), +width));
    const name = `${out}-${(p.replace(/[^a-z0-9]+/gi, '_')).slice(0, 40)}-${scheme}-${width}.png`;
    await page.screenshot({ path: name, fullPage: true });
    console.log(name, 'posts', requests);
  }
  await context.close();
}
await browser.close();

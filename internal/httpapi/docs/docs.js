// What the pages of the docs do beyond HTML; all of them can be read without it. Examples get the
// server's own address, colours, and buttons.
const root = new URL('..', document.currentScript.src);

// A heading that is on another page now: its entry has a link to it.
const follow = () => {
  const link = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest('.parts *')?.querySelector('a');
  if (link) location.replace(link.href);
};
addEventListener('hashchange', follow);
follow();

// The navigation scrolls to the present page.
const pages = document.querySelector('.pages');
pages.scrollTop = (pages.querySelector('[aria-current]')?.offsetTop ?? 0) - pages.clientHeight / 2;

// The server knows neither the scheme nor the path that a proxy gives it.
const own = (text) => text.replace(/\b(http|ws)(:\/\/)127\.0\.0\.1:8080/g, (_, scheme, mark) => scheme + (location.protocol === 'https:' ? 's' : '') + mark + root.host + root.pathname.slice(0, -1));

if (document.querySelector('[data-server]')) {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = own(texts.currentNode.data);
  for (const link of document.querySelectorAll('main a[href*="//127.0.0.1:8080"]')) link.setAttribute('href', own(link.getAttribute('href')));
}

const shell = /(?<comment>(?<!\S)#.*)|(?<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?<name>(?<=\s)--?[a-z][\w-]*|\$\w+)/g;
const script =
  /(?<comment>(?<!:)\/\/.*|(?<!\S)#.*)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<name>\b(?:as|async|await|const|def|else|export|false|for|from|function|if|import|in|let|new|null|of|return|true|type|while|with|yield)\b)|(?<number>\b\d[\d_.]*\b)/g;
const languages = {
  sh: shell,
  js: script,
  jsx: script,
  ts: script,
  tsx: script,
  python: script,
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\b\d[\d.]*\b|\b(?:true|false|null)\b)/g,
  graphql: /(?<comment>#.*)|(?<string>"[^"]*")|(?<name>\b(?:query|mutation|subscription|fragment|on)\b|[$@]\w+|\b\w+(?=\s*:))|(?<number>\b\d+\b|\b(?:true|false|null|[A-Z]{3,}\d*)\b)/g,
  sql: /(?<comment>--.*)|(?<string>'[^']*')|(?<name>\b(?:AND|AS|BY|CASE|CREATE|DELETE|DESC|DISTINCT|ELSE|END|EXISTS|FROM|GROUP|IN|INSERT|INTO|IS|JOIN|KEY|LEFT|LIMIT|NOT|NULL|ON|OR|ORDER|PRIMARY|REPLACE|SELECT|SET|TABLE|THEN|UNION|UPDATE|USING|VALUES|VIEW|WHEN|WHERE|WITH)\b)|(?<number>\b\d+\b)/g,
};

// coloured puts the parts of a text that a pattern names into elements.
const coloured = (text, pattern) => {
  const parts = [];
  let end = 0;
  for (const { 0: found, index, groups } of text.matchAll(pattern)) {
    const part = document.createElement('span');
    part.className = `code-${Object.keys(groups).find((name) => groups[name] !== undefined)}`;
    part.textContent = found;
    parts.push(text.slice(end, index), part);
    end = index + found.length;
  }
  return [...parts, text.slice(end)];
};

for (const code of document.querySelectorAll('pre > code')) {
  const language = /language-(\w+)/.exec(code.className)?.[1];
  const text = code.textContent;
  if (languages[language]) code.replaceChildren(...coloured(text, languages[language]));
  const tools = document.createElement('div');
  tools.className = 'tools';
  if (language === 'graphql') {
    const open = document.createElement('a');
    open.href = new URL(`?query=${encodeURIComponent(text)}`, root);
    open.textContent = 'Open in the Playground';
    tools.append(open);
  }
  const copy = document.createElement('button');
  copy.textContent = 'Copy';
  copy.onclick = () => {
    // navigator.clipboard exists only with TLS.
    getSelection().selectAllChildren(code);
    copy.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl+C';
    if (copy.textContent === 'Copied') getSelection().removeAllRanges();
  };
  tools.append(copy);
  const block = document.createElement('div');
  block.className = 'block';
  code.parentElement.replaceWith(block);
  block.append(code.parentElement, tools);
}

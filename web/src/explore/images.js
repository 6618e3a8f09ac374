import { outsideURL } from './links.js';

// imageOf returns the source of a document's image: inline, a data: URL from the document
// itself, or urls at other hosts, in the order to try. Both are null if no image can be
// shown.
export function imageOf(metadata, gateways) {
  const texts = [metadata?.image, metadata?.imageData].filter(Boolean).map((text) => text.trim());
  const inline = texts.map(inlineImage).find(Boolean) ?? null;
  const urls = texts.map((text) => outsideImage(text, gateways)).find((list) => list.length > 0) ?? null;
  return { inline, urls: inline ? null : urls };
}

// inlineImage returns a data: URL of the image that a text contains, or null. As the source
// of an img element, an SVG runs no script and loads nothing.
function inlineImage(text) {
  if (/^data:image\//i.test(text)) return dataImage(text);
  if (/^<(svg|\?xml)[\s>]/i.test(text)) return `data:image/svg+xml,${encodeURIComponent(text.toWellFormed())}`;
  return null;
}

// dataImage returns a data: URL that browsers read as the server reads those of documents: the
// content begins after the first comma and contains every #, a % without two hex digits stands
// for itself, white space is kept, and base64 may be any parameter and use either alphabet.
function dataImage(url) {
  const comma = url.indexOf(',');
  if (comma < 0) return null;
  const [type, ...parameters] = url.slice(0, comma).split(';');
  const others = parameters.filter((parameter) => !/^\s*base64\s*$/i.test(parameter));
  const content = url.slice(comma + 1).toWellFormed();
  if (others.length < parameters.length) {
    return `${[type, ...others, 'base64'].join(';')},${content.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')}`;
  }
  return `${[type, ...others].join(';')},${content.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/[\s#]/g, encodeURIComponent)}`;
}

function outsideImage(text, { ipfs, arweave }) {
  const [, scheme, rest] = /^(ipfs|ar):\/*(.*)$/is.exec(text) ?? [];
  if (scheme) {
    const path = rest.replace(/^(ipfs\/+)+/, '').replaceAll('#', '%23');
    return (scheme.toLowerCase() === 'ar' ? arweave : ipfs)
      .filter((gateway) => path && URL.canParse(gateway + path))
      .map((gateway) => ({ gateway, href: new URL(gateway + path).href }))
      // ".." segments may lead out of the gateway's path.
      .filter(({ gateway, href }) => href.startsWith(gateway))
      .map(({ href }) => href);
  }
  const url = outsideURL(text);
  if (!url) return [];
  url.protocol = 'https:';
  return [url.href];
}

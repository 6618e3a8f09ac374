const ADDRESS = /^(?:0[xX])?([0-9a-fA-F]{40})$/;
const HASH = /^(?:0[xX])?([0-9a-fA-F]{64})$/;
const TOKEN_ID = /^(?:[0-9]{1,78}|0[xX][0-9a-fA-F]{1,64})$/;
const BLOCK = /^(?:[0-9]{1,16}|latest|finalized)$/;

const addressIn = (text) => `0x${ADDRESS.exec(text)[1].toLowerCase()}`;

// recognise returns what a text of the search box may name, as kind with its parts: an address, a hash,
// a block's number or tag, a token, or a name, which may end with the id of a token. A link of a page like
// these is what the page is about.
export function recognise(text) {
  const trimmed = text.trim();
  if (!trimmed) return { kind: 'nothing' };
  const link = /^(?:https?:\/\/|[\w-]+(?:\.[\w-]+)+(?::\d+)?\/)/i.test(trimmed);
  if (link) return linked(trimmed) ?? { kind: 'link' };
  if (ADDRESS.test(trimmed)) return { kind: 'address', address: addressIn(trimmed) };
  if (HASH.test(trimmed)) return { kind: 'hash', hash: `0x${HASH.exec(trimmed)[1].toLowerCase()}` };
  const [, address, tokenId] = /^((?:0[xX])?[0-9a-fA-F]{40})\s*[/ :#]\s*#?([0-9]{1,78})$/.exec(trimmed) ?? [];
  if (address) return { kind: 'token', address: addressIn(address), tokenId: String(BigInt(tokenId)) };
  const number = trimmed.toLowerCase().replace(/^#|,(?=\d{3}(,|$))/g, '');
  if (BLOCK.test(number) && blockOf(number)) return blockOf(number);
  const search = [...trimmed].slice(0, 64).join('');
  const [, digits] = /^0[xX]([0-9a-fA-F]+)$/.exec(trimmed) ?? [];
  if (digits) return { kind: 'name', search, digits: digits.length };
  const [, title, id] = /^(.*[^\s#])(?:\s*#\s*|\s+)([0-9]{1,78})$/.exec(trimmed) ?? [];
  return { kind: 'name', search, ...(title && { title: [...title].slice(0, 64).join(''), tokenId: String(BigInt(id)) }) };
}

const blockOf = (text) => (/^[0-9]/.test(text) ? (Number.isSafeInteger(Number(text)) ? { kind: 'block', number: Number(text) } : undefined) : { kind: 'tag', tag: text });

// linked returns what a link is about, by the parts of its path: explorers and marketplaces have the
// address of a collection before the id of a token, or the id as the parameter a.
function linked(text) {
  const href = /^https?:/i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(href)) return undefined;
  const { pathname, searchParams } = new URL(href);
  const parts = pathname.split('/');
  const hash = parts.find((part) => HASH.test(part) && /^0x/i.test(part));
  if (hash) return { kind: 'hash', hash: hash.toLowerCase() };
  const at = parts.findIndex((part) => ADDRESS.test(part));
  if (at >= 0) {
    const address = addressIn(parts[at]);
    const tokenId = [parts[at + 1], searchParams.get('a')].find((part) => TOKEN_ID.test(part ?? ''));
    return tokenId && !ADDRESS.test(tokenId) ? { kind: 'token', address, tokenId: String(BigInt(tokenId)) } : { kind: 'address', address };
  }
  const block = parts[parts.indexOf('block') + 1];
  return parts.includes('block') && BLOCK.test(block) ? blockOf(block) : undefined;
}

// recognise returns what a text of the search box may name, as kind with its parts: an address, a hash,
// a block's number, a token, or a name.
export function recognise(text) {
  const trimmed = text.trim();
  if (!trimmed) return { kind: 'nothing' };
  const [, hex] = /^0[xX]([0-9a-fA-F]+)$/.exec(trimmed) ?? [];
  if (hex?.length === 40) return { kind: 'address', address: trimmed.toLowerCase() };
  if (hex?.length === 64) return { kind: 'hash', hash: trimmed.toLowerCase() };
  const [, address, tokenId] = /^(0[xX][0-9a-fA-F]{40})\s*[/ :#]\s*#?([0-9]{1,78})$/.exec(trimmed) ?? [];
  if (address) return { kind: 'token', address: address.toLowerCase(), tokenId };
  const number = trimmed.replace(/^#|,(?=\d{3}(,|$))/g, '');
  if (/^[0-9]{1,16}$/.test(number) && Number.isSafeInteger(Number(number))) return { kind: 'block', number: Number(number) };
  return { kind: 'name', search: [...trimmed].slice(0, 64).join('') };
}

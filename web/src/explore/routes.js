const ADDRESS = '0[xX][0-9a-fA-F]{40}';

// ROUTES are the paths that the server knows too, see package page.
const ROUTES = [
  ['overview', /^explore$/],
  ['state', /^explore\/state$/],
  ['collection', new RegExp(`^explore/(?<address>${ADDRESS})$`)],
  ['token', new RegExp(`^explore/(?<address>${ADDRESS})/(?<tokenId>[0-9]{1,78}|0[xX][0-9a-fA-F]{1,64})$`)],
  ['transaction', /^explore\/tx\/(?<hash>0[xX][0-9a-fA-F]{64})$/],
  ['block', /^explore\/block\/(?<number>[0-9]{1,19}|latest|finalized)$/],
  ['account', new RegExp(`^explore/account/(?<address>${ADDRESS})$`)],
];

// routeOf returns the name of the page at a path of Explore with its parameters as the API writes them,
// or an empty object for other paths.
export function routeOf(path) {
  for (const [name, pattern] of ROUTES) {
    const found = pattern.exec(path);
    if (!found) continue;
    const parameters = Object.fromEntries(Object.entries(found.groups ?? {}).map(([key, value]) => [key, value.toLowerCase()]));
    return { name, ...parameters, ...(parameters.tokenId && { tokenId: String(BigInt(parameters.tokenId)) }) };
  }
  return {};
}

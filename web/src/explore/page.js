// data is what the server says in the document, see package page.
export const data = JSON.parse(document.getElementById('page-data').textContent);

// root is the URL of the server's root. The address changes later, so that relative URLs lead elsewhere.
export const root = new URL(data.base, location.href).href;

export const gateways = { ipfs: data.gateways.ipfs ?? [], arweave: data.gateways.arweave ?? [] };

// The document of Explore at /explore, as far as the modules that tests import without a browser read it.
const data = { endpoint: 'graphql', base: './', gateways: {}, explorerUrl: '', key: false };
globalThis.document = { getElementById: () => ({ textContent: JSON.stringify(data) }) };
globalThis.location = new URL('http://127.0.0.1/explore');

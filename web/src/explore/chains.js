// The names of well-known chains, by id (EIP-155).
const NAMES = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  25: 'Cronos',
  56: 'BNB Smart Chain',
  97: 'BNB Testnet',
  100: 'Gnosis',
  130: 'Unichain',
  137: 'Polygon',
  146: 'Sonic',
  250: 'Fantom',
  252: 'Fraxtal',
  324: 'ZKsync Era',
  480: 'World Chain',
  1135: 'Lisk',
  1284: 'Moonbeam',
  1329: 'Sei',
  2020: 'Ronin',
  5000: 'Mantle',
  8453: 'Base',
  33139: 'ApeChain',
  42161: 'Arbitrum One',
  42220: 'Celo',
  43114: 'Avalanche',
  59144: 'Linea',
  80002: 'Polygon Amoy',
  80094: 'Berachain',
  81457: 'Blast',
  84532: 'Base Sepolia',
  534352: 'Scroll',
  7777777: 'Zora',
  17000: 'Holesky',
  560048: 'Hoodi',
  11155111: 'Sepolia',
  11155420: 'OP Sepolia',
  421614: 'Arbitrum Sepolia',
  1337: 'Local chain',
  31337: 'Local chain',
};

// UNITS are the names of 10^18 wei where they are not ETH, and null where it depends on who runs the chain.
const UNITS = { 25: 'CRO', 56: 'BNB', 97: 'BNB', 100: 'xDAI', 137: 'POL', 146: 'S', 250: 'FTM', 252: 'FRAX', 1284: 'GLMR', 1329: 'SEI', 2020: 'RON', 5000: 'MNT', 33139: 'APE', 42220: 'CELO', 43114: 'AVAX', 80002: 'POL', 80094: 'BERA', 1337: null, 31337: null };

// unitOf returns the name of 10^18 wei on a chain. id may be null.
export const unitOf = (id) => (Object.hasOwn(UNITS, id) ? UNITS[id] : NAMES[id] && 'ETH') ?? '× 10^18 wei';

// chainName returns the name of a chain by its id, or a description of an unknown one. id may be null.
export const chainName = (id) => NAMES[id] ?? (id === null ? 'Unknown chain' : `Chain ${id}`);

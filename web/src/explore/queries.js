// The queries of Explore. GraphiQL opens them unchanged, and each is one of documents.
import { MAX_BARS } from './intervals.js';

const CARD = `
fragment Card on TokenMetadata {
  name
  image
  imageData
  backgroundColor
}`;

const RECORD = `
fragment Record on Transfer {
  id
  tokenAddress
  contractType
  tokenId
  amount
  blockNumber
  blockTime
  transactionHash
  logIndex
  subIndex
  from
  to
  metadata { ...Card }
}
${CARD}`;

const RECORDS = `{
    totalItems
    cursor
    data { ...Record }
  }`;

const RECORDS_WITH_STATES = RECORDS.replace('...Record', '...Record token { state }');

const COLLECTIONS = `{
    totalItems
    cursor
    data {
      id
      address
      contractType
      name
      firstMint { blockTime }
      mints(first: 1, order: DESC, partial: true) {
        totalItems
        data {
          tokenId
          metadata { ...Card }
        }
      }
    }
  }`;

// MAX_TRAITS is the maximum number of traits of which the tokens are counted.
export const MAX_TRAITS = 12;

const TRAITS = Array.from({ length: MAX_TRAITS }, (_, i) => i);

const BARS = Array.from({ length: MAX_BARS }, (_, i) => i);

// documents are the texts of all queries, by the names of their operations. They are constant, so that
// a server with trusted documents can trust them.
export const documents = {
  ChainState: `query ChainState {
  chain {
    chainId
    head { number timestamp }
    finalized { number timestamp }
    lag
    indexedRanges { fromBlock toBlock }
    verifiedRanges { fromBlock toBlock }
    gaps { fromBlock toBlock reason since tries nextTry }
    provable
    unprovableRanges { fromBlock toBlock reason }
    contracts
    following
    endpoints { url healthy head latency lastError seenAt }
  }
}`,

  Proofs: `query Proofs {
  chain { verifiedRanges { fromBlock toBlock } }
}`,

  Overview: `query Overview($first: Int, $collections: Int) {
  chain {
    chainId
    head { number timestamp }
  }
  changes { cursor }
  mints(order: DESC, partial: true, first: $first) ${RECORDS}
  collections(order: DESC, partial: true, first: $collections) ${COLLECTIONS}
  firstMint: mints(partial: true, first: 1) { data { blockTime } }
  firstBurn: burns(partial: true, first: 1) { data { blockTime } }
  lastBurn: burns(order: DESC, partial: true, first: 1) { data { blockTime } }
}
${RECORD}`,

  LastDay: `query LastDay($fromTime: Long!) {
  mints(fromTime: $fromTime, partial: true, first: 0) { totalItems }
  burns(fromTime: $fromTime, partial: true, first: 0) { totalItems }
  all: mints(partial: true, first: 0) { totalItems }
  collections(partial: true, first: 0) { totalItems }
}`,

  Extent: `query Extent($address: Address) {
  chain { head { number } }
  changes { cursor }
  firstMint: mints(address: $address, partial: true, first: 1) { data { blockTime } }
  firstBurn: burns(address: $address, partial: true, first: 1) { data { blockTime } }
  lastMint: mints(address: $address, order: DESC, partial: true, first: 1) { data { blockTime } }
  lastBurn: burns(address: $address, order: DESC, partial: true, first: 1) { data { blockTime } }
}`,

  // whole is null if some of the blocks are not indexed.
  Activity: `query Activity($address: Address, $fromTime: Long!, $toTime: Long!, $interval: Interval!, $earlier: Boolean!, $before: Long!) {
  mints(address: $address, fromTime: $fromTime, toTime: $toTime, partial: true, first: 0) {
    totalItems
    buckets(interval: $interval) { fromTime totalItems }
  }
  burns(address: $address, fromTime: $fromTime, toTime: $toTime, partial: true, first: 0) {
    totalItems
    buckets(interval: $interval) { fromTime totalItems }
  }
  mintsBefore: mints(address: $address, toTime: $before, partial: true, first: 0) @include(if: $earlier) { totalItems }
  burnsBefore: burns(address: $address, toTime: $before, partial: true, first: 0) @include(if: $earlier) { totalItems }
  whole: mints(fromTime: $fromTime, toTime: $toTime, first: 0) { totalItems }
}`,

  // A bar is null if some of its blocks are not indexed.
  Completeness: `query Completeness(${BARS.map((i) => `$from${i}: Long!, $to${i}: Long!`).join(', ')}) {
${BARS.map((i) => `  b${i}: mints(fromTime: $from${i}, toTime: $to${i}, first: 0) { totalItems }`).join('\n')}
}`,

  // It only says that something has changed, which costs a thirtieth of what has.
  Signal: `subscription Signal($after: Cursor, $addresses: [Address!]) {
  changes(after: $after, addresses: $addresses) { cursor }
}`,

  News: `query News($after: Cursor!, $first: Int) {
  chain { head { number timestamp } }
  now: changes { cursor }
  changes(after: $after, first: 8, kinds: [VOIDED]) {
    changes {
      ... on BlocksVoided { blocks { fromBlock toBlock } cause }
    }
  }
  mints(order: DESC, partial: true, first: $first) {
    cursor
    data { ...Record }
  }
}
${RECORD}`,

  NewestCollections: `query NewestCollections($first: Int, $after: Cursor) {
  collections(order: DESC, partial: true, first: $first, after: $after) ${COLLECTIONS}
}
${CARD}`,

  Mints: `query Mints($address: Address, $account: Address, $first: Int, $after: Cursor) {
  mints(address: $address, account: $account, order: DESC, partial: true, first: $first, after: $after) ${RECORDS_WITH_STATES}
}
${RECORD}`,

  Burns: `query Burns($address: Address, $account: Address, $first: Int, $after: Cursor) {
  burns(address: $address, account: $account, order: DESC, partial: true, first: $first, after: $after) ${RECORDS_WITH_STATES}
}
${RECORD}`,

  Collection: `query Collection($address: Address!) {
  collection(address: $address) {
    contractType
    name
    symbol
    metadata {
      description
      image
      externalUrl
    }
    supply
    firstMint { blockTime }
    documents { resolved pending failed untried }
    tokens(partial: true, first: 0) { totalItems }
    mints(partial: true, first: 0) { totalItems }
    burns(partial: true, first: 0) { totalItems }
  }
}`,

  // The tokens of a collection by their mints or burns.
  TokensByRecord: `query TokensByRecord($address: Address!, $burns: Boolean!, $mints: Boolean!, $order: Order!, $first: Int, $after: Cursor) {
  mints(address: $address, order: $order, partial: true, first: $first, after: $after) @include(if: $mints) {
    totalItems
    cursor
    data { tokenId token { state } metadata { ...Card } }
  }
  burns(address: $address, order: $order, partial: true, first: $first, after: $after) @include(if: $burns) {
    totalItems
    cursor
    data { tokenId token { state } metadata { ...Card } }
  }
}
${CARD}`,

  Tokens: `query Tokens($address: Address!, $first: Int, $after: Cursor) {
  collection(address: $address) {
    tokens(partial: true, first: $first, after: $after) {
      totalItems
      cursor
      data {
        id
        address
        tokenId
        state
        metadata { ...Card }
      }
    }
  }
}
${CARD}`,

  // A filter without values selects nothing, and fails without an index of traits.
  Traits: `query Traits($address: Address!, $first: Int, $after: Cursor) {
  indexed: tokenMetadata(address: $address, traits: [{traitType: "", values: []}], first: 0) { totalItems }
  collection(address: $address) {
    traits(first: $first, after: $after) {
      totalItems
      cursor
      data {
        traitType
        tokens
        distinctValues
        values(first: 20) { value tokens }
      }
    }
  }
}`,

  TraitCounts: `query TraitCounts($address: Address!, ${TRAITS.map((i) => `$t${i}: [TraitFilter!]!, $has${i}: Boolean!`).join(', ')}) {
  all: tokenMetadata(address: $address, first: 0) { totalItems }
${TRAITS.map((i) => `  t${i}: tokenMetadata(address: $address, traits: $t${i}, first: 0) @include(if: $has${i}) { totalItems }`).join('\n')}
}`,

  TokensWithTraits: `query TokensWithTraits($address: Address!, $traits: [TraitFilter!], $first: Int, $after: Cursor) {
  tokenMetadata(address: $address, traits: $traits, first: $first, after: $after) {
    totalItems
    cursor
    data {
      id
      tokenId
      token { state }
      ...Card
    }
  }
}
${CARD}`,

  Token: `query Token($address: Address!, $tokenId: BigInt!) {
  token(address: $address, tokenId: $tokenId) {
    contractType
    state
    minted
    burned
    supply
    lastBurn { from blockNumber blockTime transactionHash }
  }
  tokenMetadata(address: $address, tokenId: $tokenId) {
    data {
      collectionType
      name
      description
      image
      imageData
      backgroundColor
      externalUrl
      animationUrl
      youtubeUrl
      attributes { traitType value maxValue traitCount }
      uri
      updatedAt
      fetchedAt
      state
      error
    }
  }
}`,

  TokenHistory: `query TokenHistory($address: Address!, $tokenId: BigInt!, $first: Int, $mints: Boolean = true, $afterMint: Cursor, $burns: Boolean = true, $afterBurn: Cursor) {
  mints(address: $address, tokenId: $tokenId, order: DESC, partial: true, first: $first, after: $afterMint) @include(if: $mints) {
    totalItems
    cursor
    data { ...Record transaction { ...Others } }
  }
  burns(address: $address, tokenId: $tokenId, order: DESC, partial: true, first: $first, after: $afterBurn) @include(if: $burns) {
    totalItems
    cursor
    data { ...Record transaction { ...Others } }
  }
}

fragment Others on Transaction {
  mints(first: 5) {
    totalItems
    data { ...Record }
  }
  burns(first: 5) {
    totalItems
    data { ...Record }
  }
}
${RECORD}`,

  Versions: `query Versions($address: Address!, $tokenId: BigInt!, $first: Int) {
  tokenMetadata(address: $address, tokenId: $tokenId) {
    data {
      versions(first: $first) {
        totalItems
        cursor
        data { fetchedAt uri raw cause }
      }
    }
  }
}`,

  Transaction: `query Transaction($hash: Bytes32!, $first: Int, $mints: Boolean = true, $afterMint: Cursor, $burns: Boolean = true, $afterBurn: Cursor) {
  chain { chainId }
  transaction(hash: $hash) {
    index
    block { number hash timestamp }
    details { from to value fee }
    mints(first: $first, after: $afterMint) @include(if: $mints) {
      totalItems
      cursor
      data { ...Record }
    }
    burns(first: $first, after: $afterBurn) @include(if: $burns) {
      totalItems
      cursor
      data { ...Record }
    }
  }
}
${RECORD}`,

  Block: `query Block($block: BlockNumberOrHash!, $first: Int, $mints: Boolean = true, $afterMint: Cursor, $burns: Boolean = true, $afterBurn: Cursor) {
  mints(block: $block, first: $first, after: $afterMint) @include(if: $mints) ${RECORDS}
  burns(block: $block, first: $first, after: $afterBurn) @include(if: $burns) ${RECORDS}
}
${RECORD}`,

  Neighbours: `query Neighbours($before: Long!, $after: Long!, $hasBefore: Boolean!) {
  mintsBefore: mints(toBlock: $before, order: DESC, partial: true, first: 1) @include(if: $hasBefore) { data { blockNumber } }
  burnsBefore: burns(toBlock: $before, order: DESC, partial: true, first: 1) @include(if: $hasBefore) { data { blockNumber } }
  mintsAfter: mints(fromBlock: $after, partial: true, first: 1) { data { blockNumber } }
  burnsAfter: burns(fromBlock: $after, partial: true, first: 1) { data { blockNumber } }
}`,

  FindAddress: `query FindAddress($address: Address!) {
  collections(addresses: [$address], partial: true) { data { address name contractType } }
  mints(account: $address, partial: true, first: 0) { totalItems }
  burns(account: $address, partial: true, first: 0) { totalItems }
}`,

  Names: `query Names($addresses: [Address!]!) {
  collections(addresses: $addresses, partial: true, first: 100) { data { address name } }
}`,

  FindHash: `query FindHash($hash: Bytes32!, $block: BlockNumberOrHash!) {
  transaction(hash: $hash) { block { number } }
  mints(block: $block, first: 0) { totalItems indexed { fromBlock } }
}`,

  FindTokens: `query FindTokens($keys: [TokenKey!]!) {
  tokens(keys: $keys) {
    address
    tokenId
    state
    metadata { name }
  }
}`,

  FindTags: `query FindTags {
  chain {
    head { number }
    finalized { number }
  }
}`,

  FindName: `query FindName($search: String!) {
  collections(search: $search, partial: true, first: 8) { data { address name contractType } }
}`,
};

const question = (name, variables) => ({ query: documents[name], variables });

export const chainState = () => question('ChainState');
export const overview = ({ first, collections }) => question('Overview', { first, collections });
export const lastDay = ({ fromTime }) => question('LastDay', { fromTime });
export const extent = ({ address }) => question('Extent', { address });
export const proofs = () => question('Proofs');
export const signal = (filter) => question('Signal', filter);
export const news = ({ after, first }) => question('News', { after, first });
export const activity = ({ fromTime, ...filter }) => question('Activity', { fromTime, ...filter, earlier: fromTime > 0, before: Math.max(0, fromTime - 1) });
export const newestCollections = ({ first, after }) => question('NewestCollections', { first, after });
export const mintsOf = ({ address, account, first, after }) => question('Mints', { address, account, first, after });
export const burnsOf = ({ address, account, first, after }) => question('Burns', { address, account, first, after });
export const collection = ({ address }) => question('Collection', { address });
export const tokensOf = ({ address, first, after }) => question('Tokens', { address, first, after });
export const traitsOf = ({ address, first, after }) => question('Traits', { address, first, after });
export const tokensByRecord = ({ address, field, order, first, after }) => question('TokensByRecord', { address, mints: field === 'mints', burns: field === 'burns', order, first, after });
export const tokensWith = ({ address, traits, first, after }) => question('TokensWithTraits', { address, traits, first, after });
export const tokenDocument = ({ address, tokenId }) => question('Token', { address, tokenId });
export const versionsOf = ({ address, tokenId, first }) => question('Versions', { address, tokenId, first });
export const namesOf = ({ addresses }) => question('Names', { addresses });
export const findAddress = ({ address }) => question('FindAddress', { address });
export const findHash = ({ hash }) => question('FindHash', { hash, block: hash });
export const findTokens = ({ keys }) => question('FindTokens', { keys });
export const findTags = () => question('FindTags');
export const findName = ({ search }) => question('FindName', { search });

// The lists of mints and burns of a token, a transaction or a block. With a cursor, only the next page
// of the lists that have one.
export const tokenHistory = ({ address, tokenId, first, ...cursors }) => question('TokenHistory', { address, tokenId, first, ...next(cursors) });
export const transaction = ({ hash, first, ...cursors }) => question('Transaction', { hash, first, ...next(cursors) });
export const blockRecords = ({ number, first, ...cursors }) => question('Block', { block: number, first, ...next(cursors) });

function next({ afterMint, afterBurn }) {
  return afterMint || afterBurn ? { mints: Boolean(afterMint), afterMint, burns: Boolean(afterBurn), afterBurn } : {};
}

// neighbours asks for the next blocks with mints or burns on both sides of a block.
export const neighbours = ({ number }) => question('Neighbours', { before: Math.max(0, number - 1), hasBefore: number > 0, after: number + 1 });

// traitCounts asks how many tokens of a collection have each of some attributes.
export const traitCounts = ({ address, attributes }) =>
  question('TraitCounts', {
    address,
    ...Object.fromEntries(TRAITS.flatMap((i) => [[`t${i}`, attributes[i] ? [{ traitType: attributes[i].traitType, values: [attributes[i].value] }] : []], [`has${i}`, Boolean(attributes[i])]])),
  });

// completeness asks for each bar whether all its blocks are indexed. The last bar stands in for the missing ones.
export const completeness = (bars) =>
  question('Completeness', Object.fromEntries(BARS.flatMap((i) => [bars[i] ?? bars.at(-1)].flatMap(({ from, to }) => [[`from${i}`, from], [`to${i}`, to]]))));

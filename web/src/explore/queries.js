// The queries of Explore. GraphiQL opens them unchanged.

export const chainState = () => ({
  query: `query ChainState {
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
});

export const coverage = () => ({
  query: `query Coverage {
  chain {
    head { timestamp }
    indexedRanges { fromBlock toBlock }
  }
}`,
});

export const activity = ({ address, fromTime, toTime, interval }) => ({
  query: `query Activity($address: Address, $fromTime: Long!, $toTime: Long!, $interval: Interval!) {
  mints(address: $address, fromTime: $fromTime, toTime: $toTime, partial: true, first: 0) {
    totalItems
    buckets(interval: $interval) { fromTime toTime totalItems }
  }
  burns(address: $address, fromTime: $fromTime, toTime: $toTime, partial: true, first: 0) {
    totalItems
    buckets(interval: $interval) { fromTime toTime totalItems }
  }
}`,
  variables: { address, fromTime, toTime, interval },
});

// completeness queries each bucket without partial, so that a bucket with blocks that are
// not indexed fails.
export const completeness = (buckets) => ({
  query: `query Completeness {
${buckets.map(({ fromTime, toTime }, i) => `  b${i}: mints(fromTime: ${fromTime}, toTime: ${toTime - 1}, first: 0) { totalItems }`).join('\n')}
}`,
});

export const newestMints = ({ address, first, after }) => ({
  query: `query NewestMints($address: Address, $first: Int, $after: Cursor) {
  mints(address: $address, order: DESC, partial: true, first: $first, after: $after) {
    totalItems
    cursor
    data {
      tokenAddress
      contractType
      tokenId
      amount
      blockTime
      metadata {
        name
        image
        imageData
        backgroundColor
      }
    }
  }
}`,
  variables: { address, first, after },
});

export const newestCollections = ({ first, after }) => ({
  query: `query NewestCollections($first: Int, $after: Cursor) {
  collections(order: DESC, partial: true, first: $first, after: $after) {
    totalItems
    cursor
    data {
      address
      contractType
      mintedItems
      burnedItems
      firstMint { blockTime }
      mints(first: 1, order: DESC, partial: true) {
        totalItems
        data {
          tokenId
          metadata {
            name
            image
            imageData
            backgroundColor
          }
        }
      }
    }
  }
}`,
  variables: { first, after },
});

export const collection = ({ address }) => ({
  query: `query Collection($address: Address!) {
  collection(address: $address) {
    contractType
    mintedItems
    burnedItems
    supply
    firstMint { blockTime }
    documents { resolved pending failed untried }
    mints(partial: true, first: 0) { totalItems }
    burns(partial: true, first: 0) { totalItems }
  }
}`,
  variables: { address },
});

export const tokenDocument = ({ address, tokenId }) => ({
  query: `query Token($address: Address!, $tokenId: BigInt!) {
  token(address: $address, tokenId: $tokenId) {
    contractType
    state
    minted
    burned
    supply
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
  variables: { address, tokenId },
});

// tokenHistory queries the newest mints and burns of a token. With a cursor, it queries
// only the next page of the lists that have one.
export const tokenHistory = ({ address, tokenId, first, afterMint, afterBurn }) => ({
  query: `query TokenHistory($address: Address!, $tokenId: BigInt!, $first: Int, $mints: Boolean = true, $afterMint: Cursor, $burns: Boolean = true, $afterBurn: Cursor) {
  mints(address: $address, tokenId: $tokenId, order: DESC, partial: true, first: $first, after: $afterMint) @include(if: $mints) {
    totalItems
    cursor
    data { ...Record }
  }
  burns(address: $address, tokenId: $tokenId, order: DESC, partial: true, first: $first, after: $afterBurn) @include(if: $burns) {
    totalItems
    cursor
    data { ...Record }
  }
}

fragment Record on Transfer {
  amount
  blockNumber
  blockTime
  transactionHash
  logIndex
  subIndex
  from
  to
}`,
  variables: { address, tokenId, first, ...next(afterMint, afterBurn) },
});

function next(afterMint, afterBurn) {
  return afterMint || afterBurn ? { mints: Boolean(afterMint), afterMint, burns: Boolean(afterBurn), afterBurn } : {};
}

/* eslint-disable */
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]?: Maybe<T[SubKey]> };
export type MakeMaybe<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]: Maybe<T[SubKey]> };
export type MakeEmpty<T extends { [key: string]: unknown }, K extends keyof T> = { [_ in K]?: never };
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** An address of 20 bytes: 0x and 40 hex digits. Input in any case, output in lower case. */
  Address: { input: string; output: string; }
  /** An unsigned integer of 256 bits. Output is a decimal string; input a decimal string, a 0x-hex string or an integer literal. */
  BigInt: { input: string | number; output: string; }
  /** A block: a number, a decimal string, a 0x-hex quantity, or a hash of 0x and 64 hex digits. */
  BlockNumberOrHash: { input: string | number; output: never; }
  /** A hash of 32 bytes: 0x and 64 hex digits. Input in any case, output in lower case. */
  Bytes32: { input: string; output: string; }
  /** An opaque position in a list. It never expires, and belongs to the filter and order that gave it; the page size may change. */
  Cursor: { input: string; output: string; }
  /** An unsigned integer of at most 2^53-1, because Int is too small for block numbers and times. Output is a number; input a number, a decimal string or a 0x-hex string. */
  Long: { input: string | number; output: number; }
};

/** One trait of a token. */
export type Attribute = {
  __typename?: 'Attribute';
  /** For numeric values, the upper range, null where the document has none (max_value). */
  maxValue?: Maybe<Scalars['Float']['output']>;
  /** Order in which the trait appears in the attribute list: the document's, else its position, from 1. */
  order: Scalars['Long']['output'];
  /** Number of possible values for this trait: the document's, else the number of its different values in the collection (trait_count). */
  traitCount: Scalars['Long']['output'];
  /** Trait title or descriptor; empty where the document has none (trait_type). */
  traitType: Scalars['String']['output'];
  /** Value of the attribute; a number or a boolean as its JSON text. */
  value: Scalars['String']['output'];
};

/** A block of the chain. */
export type Block = {
  __typename?: 'Block';
  /** Hash. */
  hash: Scalars['Bytes32']['output'];
  /** Height. */
  number: Scalars['Long']['output'];
  /** Unix seconds, UTC. */
  timestamp: Scalars['Long']['output'];
};

/** A range of blocks, inclusive at both ends. */
export type BlockRange = {
  __typename?: 'BlockRange';
  /** First block. */
  fromBlock: Scalars['Long']['output'];
  /** Last block. */
  toBlock: Scalars['Long']['output'];
};

/** A burn: a transfer to the zero address, or to a configured burn address. */
export type Burn = Node & Transfer & {
  __typename?: 'Burn';
  /** Number of tokens burned. */
  amount: Scalars['BigInt']['output'];
  /** Hash of the block of the transaction (block_hash). */
  blockHash: Scalars['Bytes32']['output'];
  /** Block number at which the amount or owner changed (block_number). */
  blockNumber: Scalars['Long']['output'];
  /** Block time, Unix seconds, UTC; equal to timestamp (block_time). */
  blockTime: Scalars['Long']['output'];
  /** Contract standard of the NFT (contract_type). */
  contractType: ContractType;
  /** Address that sent the NFT. */
  from: Scalars['Address']['output'];
  /** An opaque id, unique over all types. It never names another record, even after a reorg. */
  id: Scalars['ID']['output'];
  /** Index of the event's log in the block (log_index). */
  logIndex: Scalars['Int']['output'];
  /** The token's last metadata, or why there is none; null before the first attempt to fetch it. */
  metadata?: Maybe<TokenMetadata>;
  /** Operator of an ERC-1155 event, null for ERC-721. */
  operator?: Maybe<Scalars['Address']['output']>;
  /** Position within an ERC-1155 batch or an EIP-2309 range; 0 otherwise. */
  subIndex: Scalars['Int']['output'];
  /** Block timestamp, Unix seconds, UTC. */
  timestamp: Scalars['Long']['output'];
  /** Address that received the NFT: the zero address, or a configured burn address. */
  to: Scalars['Address']['output'];
  /** Address of the NFT contract (token_address). */
  tokenAddress: Scalars['Address']['output'];
  /** Token ID of the NFT (token_id). */
  tokenId: Scalars['BigInt']['output'];
  /** Transaction hash (transaction_hash). */
  transactionHash: Scalars['Bytes32']['output'];
  /** Index of the transaction in the block; null for a record that was stored without it, until verify --repair. */
  transactionIndex?: Maybe<Scalars['Int']['output']>;
};

/** A page of burns, as a Relay connection and as the documented envelope. */
export type BurnConnection = {
  __typename?: 'BurnConnection';
  /** Cursor for fetching the next page; null exactly when there is none. */
  cursor?: Maybe<Scalars['Cursor']['output']>;
  /** The items of the page. */
  data: Array<Burn>;
  /** The items of the page, each with its cursor. */
  edges: Array<BurnEdge>;
  /** The indexed ranges of the requested blocks, which the items come from. */
  indexed: Array<BlockRange>;
  /** Limit of results: the page size. */
  limit: Scalars['Int']['output'];
  /** Page of results: 1 without a cursor. */
  page: Scalars['Int']['output'];
  /** Whether items precede and follow the page, and its cursors. */
  pageInfo: PageInfo;
  /** Total result items over all pages, exact (total_items). */
  totalItems: Scalars['Long']['output'];
};

/** A burn on a page. */
export type BurnEdge = {
  __typename?: 'BurnEdge';
  /** Cursor of the burn, for after and before. */
  cursor: Scalars['Cursor']['output'];
  /** The burn. */
  node: Burn;
};

/** The chain, and which blocks of it are indexed and verified. */
export type Chain = {
  __typename?: 'Chain';
  /** Chain id (EIP-155); null until a node reports it. */
  chainId?: Maybe<Scalars['Long']['output']>;
  /** The only indexed collections; null if all are. */
  contracts?: Maybe<Array<Scalars['Address']['output']>>;
  /** The nodes that the chain is followed from, in order of preference; empty if it never was. */
  endpoints: Array<Endpoint>;
  /** The last final block; null until a node reports it. */
  finalized?: Maybe<Block>;
  /** The blocks that are left out, because every node contradicts itself about them, until a later attempt succeeds. The newest 100. */
  gaps: Array<Gap>;
  /** The last indexed block; null if there is none. */
  head?: Maybe<Block>;
  /** The indexed blocks. Nothing is known of others. */
  indexedRanges: Array<BlockRange>;
  /** Seconds between the head's time and now; null without a head. */
  lag?: Maybe<Scalars['Long']['output']>;
  /** Whether blocks can be proved against the chain, by the newest blocks for which that is decided; null before. */
  provable?: Maybe<Scalars['Boolean']['output']>;
  /** The blocks that cannot be proved, because their headers are unlike Ethereum's. The newest 100 ranges. */
  unprovableRanges: Array<UnprovableRange>;
  /** The blocks that are proved complete against the chain. */
  verifiedRanges: Array<BlockRange>;
};

/** The contract standard of an NFT, decided by the form of each log. */
export type ContractType =
  /** Non-fungible token: one of each id. */
  | 'ERC721'
  /** Multi token: any amount of each id. */
  | 'ERC1155';

/** A node that the chain is followed from, as of its last report. */
export type Endpoint = {
  __typename?: 'Endpoint';
  /** The highest block that it has reported; null before the first. */
  head?: Maybe<Scalars['Long']['output']>;
  /** False while the node rests after a failure. */
  healthy: Scalars['Boolean']['output'];
  /** Class of its latest failure: rate limited, refused, timeout, inconsistent, unreachable or leaves out logs; null when there was none. The log has its text. */
  lastError?: Maybe<Scalars['String']['output']>;
  /** Moving average of its response time, in milliseconds. */
  latency: Scalars['Long']['output'];
  /** Time of the report, Unix seconds, UTC. */
  seenAt: Scalars['Long']['output'];
  /** Scheme and host, without credentials. */
  url: Scalars['String']['output'];
};

/** A range of blocks that is left out of the index for now. */
export type Gap = {
  __typename?: 'Gap';
  /** First block. */
  fromBlock: Scalars['Long']['output'];
  /** Time of the next attempt, Unix seconds, UTC. */
  nextTry: Scalars['Long']['output'];
  /** Class of the last failure: inconsistent or leaves out logs. The log has its text. */
  reason: Scalars['String']['output'];
  /** Time of the first failure, Unix seconds, UTC. */
  since: Scalars['Long']['output'];
  /** Last block. */
  toBlock: Scalars['Long']['output'];
  /** Number of attempts so far. */
  tries: Scalars['Long']['output'];
};

/** How the last attempt to fetch a token's document ended. */
export type MetadataState =
  /** The last attempt failed; the document, if any, is from an earlier one. */
  | 'FAILED'
  /** There is a document, and a newer one may exist: it is being fetched, or will be soon. */
  | 'PENDING'
  /** The last attempt fetched the document, or an import contained it. */
  | 'RESOLVED';

/** A mint: a transfer from the zero address. */
export type Mint = Node & Transfer & {
  __typename?: 'Mint';
  /** Number of tokens minted. */
  amount: Scalars['BigInt']['output'];
  /** Hash of the block of the transaction (block_hash). */
  blockHash: Scalars['Bytes32']['output'];
  /** Block number at which the amount or owner changed (block_number). */
  blockNumber: Scalars['Long']['output'];
  /** Block time, Unix seconds, UTC; equal to timestamp (block_time). */
  blockTime: Scalars['Long']['output'];
  /** Contract standard of the NFT (contract_type). */
  contractType: ContractType;
  /** Address that sent the NFT: the zero address. */
  from: Scalars['Address']['output'];
  /** An opaque id, unique over all types. It never names another record, even after a reorg. */
  id: Scalars['ID']['output'];
  /** Index of the event's log in the block (log_index). */
  logIndex: Scalars['Int']['output'];
  /** The token's metadata, or why there is none; null before the first attempt to fetch it. */
  metadata?: Maybe<TokenMetadata>;
  /** Operator of an ERC-1155 event, null for ERC-721. */
  operator?: Maybe<Scalars['Address']['output']>;
  /** Position within an ERC-1155 batch or an EIP-2309 range; 0 otherwise. */
  subIndex: Scalars['Int']['output'];
  /** Block timestamp, Unix seconds, UTC. */
  timestamp: Scalars['Long']['output'];
  /** Address that received the NFT. */
  to: Scalars['Address']['output'];
  /** Address of the NFT contract (token_address). */
  tokenAddress: Scalars['Address']['output'];
  /** Token ID of the NFT (token_id). */
  tokenId: Scalars['BigInt']['output'];
  /** Transaction hash (transaction_hash). */
  transactionHash: Scalars['Bytes32']['output'];
  /** Index of the transaction in the block; null for a record that was stored without it, until verify --repair. */
  transactionIndex?: Maybe<Scalars['Int']['output']>;
};

/** A page of mints, as a Relay connection and as the documented envelope. */
export type MintConnection = {
  __typename?: 'MintConnection';
  /** Cursor for fetching the next page; null exactly when there is none. */
  cursor?: Maybe<Scalars['Cursor']['output']>;
  /** The items of the page. */
  data: Array<Mint>;
  /** The items of the page, each with its cursor. */
  edges: Array<MintEdge>;
  /** The indexed ranges of the requested blocks, which the items come from. */
  indexed: Array<BlockRange>;
  /** Limit of results: the page size. */
  limit: Scalars['Int']['output'];
  /** Page of results: 1 without a cursor. */
  page: Scalars['Int']['output'];
  /** Whether items precede and follow the page, and its cursors. */
  pageInfo: PageInfo;
  /** Total result items over all pages, exact (total_items). */
  totalItems: Scalars['Long']['output'];
};

/** A mint on a page. */
export type MintEdge = {
  __typename?: 'MintEdge';
  /** Cursor of the mint, for after and before. */
  cursor: Scalars['Cursor']['output'];
  /** The mint. */
  node: Mint;
};

/** An object that can be fetched again by its id. */
export type Node = {
  /** An opaque id, unique over all types. */
  id: Scalars['ID']['output'];
};

/** Chain order: by block number, log index, then sub index. */
export type Order =
  /** Oldest first. */
  | 'ASC'
  /** Newest first. */
  | 'DESC';

/** Whether items precede and follow a page, and its cursors. */
export type PageInfo = {
  __typename?: 'PageInfo';
  /** Cursor of the last item; null on an empty page. Not null on the last page, so that a client can continue later. */
  endCursor?: Maybe<Scalars['Cursor']['output']>;
  /** Whether items follow the page. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether items precede the page. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first item; null on an empty page. */
  startCursor?: Maybe<Scalars['Cursor']['output']>;
};

/**
 * Mints, burns and token metadata of the indexed chain. All fields of one operation read the same committed state
 * of the database.
 */
export type Query = {
  __typename?: 'Query';
  /**
   * NFT burns, in chain order. The same filters as for mints are accepted.
   * Documented operations: burns of a collection from block to block, and burns of a collection by token id.
   */
  burns?: Maybe<BurnConnection>;
  /** The chain, and which blocks of it are indexed and verified. */
  chain?: Maybe<Chain>;
  /**
   * NFT mints, in chain order. Accepted are: no filter; address alone or with tokenId, account, accounts;
   * addresses alone or with account; account; accounts; transactionHash alone or with address, address and tokenId;
   * transactionHashes; tokens; block alone or with address, address and tokenId, account, addresses;
   * each but block may be narrowed by fromBlock and toBlock. Any other combination is BAD_USER_INPUT.
   * Documented operations: mints by block, and mints of a collection by transaction.
   */
  mints?: Maybe<MintConnection>;
  /** The object with an id; null if it does not exist, or no longer. */
  node?: Maybe<Node>;
  /** The objects with these ids, in the order of the ids; null for each that does not exist, or no longer. */
  nodes?: Maybe<Array<Maybe<Node>>>;
  /**
   * Metadata of the tokens of a collection that have a document, by numeric token id. With tokenId it also returns
   * a token whose document was never fetched: its state and error say why. The single record of the documented
   * operation, token metadata by contract, is the first item.
   */
  tokenMetadata?: Maybe<TokenMetadataConnection>;
};


/**
 * Mints, burns and token metadata of the indexed chain. All fields of one operation read the same committed state
 * of the database.
 */
export type QueryBurnsArgs = {
  account?: InputMaybe<Scalars['Address']['input']>;
  accounts?: InputMaybe<Array<Scalars['Address']['input']>>;
  address?: InputMaybe<Scalars['Address']['input']>;
  addresses?: InputMaybe<Array<Scalars['Address']['input']>>;
  after?: InputMaybe<Scalars['Cursor']['input']>;
  before?: InputMaybe<Scalars['Cursor']['input']>;
  block?: InputMaybe<Scalars['BlockNumberOrHash']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  fromBlock?: InputMaybe<Scalars['Long']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  order?: InputMaybe<Order>;
  partial?: InputMaybe<Scalars['Boolean']['input']>;
  toBlock?: InputMaybe<Scalars['Long']['input']>;
  tokenId?: InputMaybe<Scalars['BigInt']['input']>;
  tokens?: InputMaybe<Array<TokenKey>>;
  transactionHash?: InputMaybe<Scalars['Bytes32']['input']>;
  transactionHashes?: InputMaybe<Array<Scalars['Bytes32']['input']>>;
};


/**
 * Mints, burns and token metadata of the indexed chain. All fields of one operation read the same committed state
 * of the database.
 */
export type QueryMintsArgs = {
  account?: InputMaybe<Scalars['Address']['input']>;
  accounts?: InputMaybe<Array<Scalars['Address']['input']>>;
  address?: InputMaybe<Scalars['Address']['input']>;
  addresses?: InputMaybe<Array<Scalars['Address']['input']>>;
  after?: InputMaybe<Scalars['Cursor']['input']>;
  before?: InputMaybe<Scalars['Cursor']['input']>;
  block?: InputMaybe<Scalars['BlockNumberOrHash']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  fromBlock?: InputMaybe<Scalars['Long']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  order?: InputMaybe<Order>;
  partial?: InputMaybe<Scalars['Boolean']['input']>;
  toBlock?: InputMaybe<Scalars['Long']['input']>;
  tokenId?: InputMaybe<Scalars['BigInt']['input']>;
  tokens?: InputMaybe<Array<TokenKey>>;
  transactionHash?: InputMaybe<Scalars['Bytes32']['input']>;
  transactionHashes?: InputMaybe<Array<Scalars['Bytes32']['input']>>;
};


/**
 * Mints, burns and token metadata of the indexed chain. All fields of one operation read the same committed state
 * of the database.
 */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/**
 * Mints, burns and token metadata of the indexed chain. All fields of one operation read the same committed state
 * of the database.
 */
export type QueryNodesArgs = {
  ids: Array<Scalars['ID']['input']>;
};


/**
 * Mints, burns and token metadata of the indexed chain. All fields of one operation read the same committed state
 * of the database.
 */
export type QueryTokenMetadataArgs = {
  address: Scalars['Address']['input'];
  after?: InputMaybe<Scalars['Cursor']['input']>;
  before?: InputMaybe<Scalars['Cursor']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  tokenId?: InputMaybe<Scalars['BigInt']['input']>;
};

/** A token of a collection. */
export type TokenKey = {
  /** Address of the contract. */
  address: Scalars['Address']['input'];
  /** Token id. */
  tokenId: Scalars['BigInt']['input'];
};

/**
 * The normalised metadata of a token. A text that the document lacks or leaves empty is null. Without a document,
 * all texts are null, updatedAt is 0 and attributes is empty.
 */
export type TokenMetadata = Node & {
  __typename?: 'TokenMetadata';
  /** Animated version of the NFT's image (animation_url). */
  animationUrl?: Maybe<Scalars['String']['output']>;
  /** Number of failed attempts since the last success. */
  attempts: Scalars['Int']['output'];
  /** List of attributes, in the order of the document. */
  attributes: Array<Attribute>;
  /** Background color of the NFT: hex digits without # (background_color). */
  backgroundColor?: Maybe<Scalars['String']['output']>;
  /** Address of the NFT (collection_address). */
  collectionAddress: Scalars['Address']['output'];
  /** Type of the NFT: its contract standard (collection_type). */
  collectionType: ContractType;
  /** Detailed description of the NFT. */
  description?: Maybe<Scalars['String']['output']>;
  /** Why the last attempt failed; null if it did not. */
  error?: Maybe<Scalars['String']['output']>;
  /** External URL of the NFT (external_url). */
  externalUrl?: Maybe<Scalars['String']['output']>;
  /** Time of the last successful fetch, or of the last attempt without a document, Unix seconds, UTC. */
  fetchedAt: Scalars['Long']['output'];
  /** An opaque id, unique over all types. */
  id: Scalars['ID']['output'];
  /** URL of the NFT's image. */
  image?: Maybe<Scalars['String']['output']>;
  /** Image data of the NFT, unchanged (image_data). */
  imageData?: Maybe<Scalars['String']['output']>;
  /** Name or title of the NFT. */
  name?: Maybe<Scalars['String']['output']>;
  /** Time of the next fetch, Unix seconds, UTC; null if only an event of the contract causes one, or during a fetch. */
  nextTry?: Maybe<Scalars['Long']['output']>;
  /** The document as it was fetched; null without one. */
  raw?: Maybe<Scalars['String']['output']>;
  /** How the last attempt to fetch the document ended. */
  state: MetadataState;
  /** Id of the NFT (token_id). */
  tokenId: Scalars['BigInt']['output'];
  /** Timestamp at which the metadata was updated: the fetch at which its content last changed, Unix seconds, UTC; 0 without a document (updated_at). */
  updatedAt: Scalars['Long']['output'];
  /** The token URI: what tokenURI or uri returned for the document, or at the last attempt without one; null if nothing. */
  uri?: Maybe<Scalars['String']['output']>;
  /** Video URL of the NFT (youtube_url). */
  youtubeUrl?: Maybe<Scalars['String']['output']>;
};

/** A page of token metadata, as a Relay connection and as the documented envelope. */
export type TokenMetadataConnection = {
  __typename?: 'TokenMetadataConnection';
  /** Cursor for fetching the next page; null exactly when there is none. */
  cursor?: Maybe<Scalars['Cursor']['output']>;
  /** The items of the page. */
  data: Array<TokenMetadata>;
  /** The items of the page, each with its cursor. */
  edges: Array<TokenMetadataEdge>;
  /** Limit of results: the page size. */
  limit: Scalars['Int']['output'];
  /** Page of results: 1 without a cursor. */
  page: Scalars['Int']['output'];
  /** Whether items precede and follow the page, and its cursors. */
  pageInfo: PageInfo;
  /** Total result items over all pages, exact (total_items). */
  totalItems: Scalars['Long']['output'];
};

/** A token's metadata on a page. */
export type TokenMetadataEdge = {
  __typename?: 'TokenMetadataEdge';
  /** Cursor of the token, for after and before. */
  cursor: Scalars['Cursor']['output'];
  /** The token's metadata. */
  node: TokenMetadata;
};

/** A mint or a burn: one token id in one event. */
export type Transfer = {
  /** Number of tokens minted or burned. */
  amount: Scalars['BigInt']['output'];
  /** Hash of the block of the transaction (block_hash). */
  blockHash: Scalars['Bytes32']['output'];
  /** Block number at which the amount or owner changed (block_number). */
  blockNumber: Scalars['Long']['output'];
  /** Block time, Unix seconds, UTC; equal to timestamp (block_time). */
  blockTime: Scalars['Long']['output'];
  /** Contract standard of the NFT (contract_type). */
  contractType: ContractType;
  /** Address that sent the NFT. */
  from: Scalars['Address']['output'];
  /** An opaque id, unique over all types. It never names another record, even after a reorg. */
  id: Scalars['ID']['output'];
  /** Index of the event's log in the block (log_index). */
  logIndex: Scalars['Int']['output'];
  /** The token's metadata, or why there is none; null before the first attempt to fetch it. */
  metadata?: Maybe<TokenMetadata>;
  /** Operator of an ERC-1155 event, null for ERC-721. */
  operator?: Maybe<Scalars['Address']['output']>;
  /** Position within an ERC-1155 batch or an EIP-2309 range; 0 otherwise. */
  subIndex: Scalars['Int']['output'];
  /** Block timestamp, Unix seconds, UTC. */
  timestamp: Scalars['Long']['output'];
  /** Address that received the NFT. */
  to: Scalars['Address']['output'];
  /** Address of the NFT contract (token_address). */
  tokenAddress: Scalars['Address']['output'];
  /** Token ID of the NFT (token_id). */
  tokenId: Scalars['BigInt']['output'];
  /** Transaction hash (transaction_hash). */
  transactionHash: Scalars['Bytes32']['output'];
  /** Index of the transaction in the block; null for a record that was stored without it, until verify --repair. */
  transactionIndex?: Maybe<Scalars['Int']['output']>;
};

/** A range of blocks that cannot be proved. */
export type UnprovableRange = {
  __typename?: 'UnprovableRange';
  /** First block. */
  fromBlock: Scalars['Long']['output'];
  /** How its headers are unlike Ethereum's. */
  reason: Scalars['String']['output'];
  /** Last block. */
  toBlock: Scalars['Long']['output'];
};

export type LastMintsQueryVariables = Exact<{
  block: Scalars['BlockNumberOrHash']['input'];
}>;


export type LastMintsQuery = { __typename?: 'Query', mints?: { __typename?: 'MintConnection', totalItems: number, data: Array<{ __typename?: 'Mint', tokenId: string, blockTime: number }> } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const LastMintsDocument = new TypedDocumentString(`
    query LastMints($block: BlockNumberOrHash!) {
  mints(block: $block, order: DESC, first: 2) {
    totalItems
    data {
      tokenId
      blockTime
    }
  }
}
    `) as unknown as TypedDocumentString<LastMintsQuery, LastMintsQueryVariables>;
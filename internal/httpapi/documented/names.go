package documented

// foreignNames maps names of the documented operations, where [CamelCase] does not lead to ours,
// and of other APIs to our names. If a name has several meanings, the first that exists at its
// place counts. docs/migrate.md explains the names of other APIs; the REST routes have the names of
// the operations.
var foreignNames = map[string][]string{
	"block_number_or_hash": {"block"},
	"cursor":               {"after", "endCursor"},
	"limit":                {"first"},
	"mintsByBlock":         {"mints"},
	"burnsByRange":         {"burns"},
	"mintsByTransaction":   {"mints"},
	"burnsByToken":         {"burns"},
	"metadataByToken":      {"tokenMetadata"},

	// Moralis.
	"from_address":        {"from"},
	"to_address":          {"to"},
	"block_timestamp":     {"timestamp"},
	"from_date":           {"fromTime"},
	"to_date":             {"toTime"},
	"contract_addresses":  {"addresses"},
	"result":              {"data"},
	"page_size":           {"limit", "first"},
	"total":               {"totalItems"},
	"token_uri":           {"uri", "metadata"},
	"metadata":            {"raw"},
	"normalized_metadata": {"metadata"},
	"last_token_uri_sync": {"fetchedAt"},
	"last_metadata_sync":  {"updatedAt"},

	// Alchemy.
	"getNFTMetadata":      {"tokenMetadata"},
	"getNFTMetadataBatch": {"tokens"},
	"getContractMetadata": {"collection"},
	"getNFTsForContract":  {"tokenMetadata"},
	"contractAddresses":   {"addresses"},
	"withMetadata":        {"timestamp"},
	"maxCount":            {"first"},
	"pageKey":             {"after"},
	"uniqueId":            {"id"},
	"blockNum":            {"blockNumber"},
	"hash":                {"transactionHash"},
	"erc721TokenId":       {"tokenId"},
	"category":            {"contractType"},
	"contractAddress":     {"address", "tokenAddress", "collectionAddress"},
	"tokenUri":            {"uri", "metadata"},
	"timeLastUpdated":     {"fetchedAt"},
	"mint":                {"mints", "token"},

	// The Graph.
	"skip":           {"after"},
	"offset":         {"after"},
	"orderBy":        {"order"},
	"orderDirection": {"order"},
	"owner":          {"account"},
	"contract":       {"address", "tokenAddress", "collectionAddress"},
	"tokenID":        {"tokenId"},
	"tokenURI":       {"uri", "metadata"},
	"_meta":          {"chain"},
	"where":          {"address", "addresses"},
	"items":          {"data"},
	"name":           {"search", "metadata"},
	"blockNumber":    {"block"},

	// Zora.
	"nodes":               {"data"},
	"totalCount":          {"totalItems"},
	"collectionAddresses": {"addresses"},
	"recipientAddresses":  {"accounts"},
	"collectionAddress":   {"address", "tokenAddress"},
	"toAddress":           {"to", "account"},
	"fromAddress":         {"from", "account"},
	"blockTimestamp":      {"timestamp"},
	"sort":                {"order"},
	"sortDirection":       {"order"},
	"totalSupply":         {"supply"},
	"tokenUrl":            {"uri", "metadata"},
	"traits":              {"attributes", "metadata"},
}

// OurNames returns our names for a name of the documented operations or of another API, the
// likeliest first. A name that is not known becomes its [CamelCase], so there is at least one.
func OurNames(name string) []string { return append(foreignNames[name], CamelCase(name)) }

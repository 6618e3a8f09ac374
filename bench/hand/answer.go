package hand

// The types of answers, with their fields in the order in which they are written.

// Transfer is a mint or a burn in an answer.
type Transfer struct {
	// Position is its primary key.
	Position        int64   `json:"-"`
	TokenAddress    string  `json:"tokenAddress"`
	ContractType    string  `json:"contractType"`
	TokenID         string  `json:"tokenId"`
	BlockHash       string  `json:"blockHash"`
	BlockNumber     int64   `json:"blockNumber"`
	TransactionHash string  `json:"transactionHash"`
	LogIndex        int     `json:"logIndex"`
	From            string  `json:"from"`
	To              string  `json:"to"`
	Amount          string  `json:"amount"`
	Operator        *string `json:"operator"`
	Timestamp       int64   `json:"timestamp"`
	BlockTime       int64   `json:"blockTime"`
}

type page struct {
	Cursor *string    `json:"cursor"`
	Page   int        `json:"page"`
	Limit  int        `json:"limit"`
	Data   []Transfer `json:"data"`
}

// Token is a token document in an answer.
type Token struct {
	CollectionAddress string      `json:"collectionAddress"`
	CollectionType    string      `json:"collectionType"`
	TokenID           string      `json:"tokenId"`
	ExternalURL       *string     `json:"externalUrl"`
	ImageData         *string     `json:"imageData"`
	BackgroundColor   *string     `json:"backgroundColor"`
	YoutubeURL        *string     `json:"youtubeUrl"`
	UpdatedAt         int64       `json:"updatedAt"`
	Name              *string     `json:"name"`
	Description       *string     `json:"description"`
	Image             *string     `json:"image"`
	AnimationURL      *string     `json:"animationUrl"`
	Attributes        []Attribute `json:"attributes"`
}

// Attribute is a trait of a [Token].
type Attribute struct {
	TraitType  string   `json:"traitType"`
	Value      string   `json:"value"`
	MaxValue   *float64 `json:"maxValue"`
	TraitCount int64    `json:"traitCount"`
	Order      int64    `json:"order"`
}

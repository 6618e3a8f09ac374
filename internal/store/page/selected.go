package page

import "mintburn/internal/store/read"

// Selected are the fields of a page that a query selects besides the items.
type Selected struct {
	// Total, Indexed and Metadata select the results of these methods of the page. Next
	// selects HasNextPage or what depends on it, Previous HasPreviousPage.
	Total, Next, Previous, Indexed, Metadata bool
	// Buckets are the intervals of the selected buckets.
	Buckets Intervals
	// BucketEnds selects the first or last blocks of buckets.
	BucketEnds bool
	// Texts are the selected texts of the metadata.
	Texts read.Texts
}

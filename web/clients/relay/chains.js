// The query of chains.js.
import { graphql } from './tag.js';

export const totalQuery = graphql`
  query chainsTotalQuery {
    mints(first: 0) {
      totalItems
    }
  }
`;

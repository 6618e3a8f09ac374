// Subscribes to changes.
import { requestSubscription } from 'react-relay';

import { expired } from '../live/feed.js';
import { graphql } from './tag.js';

const subscription = graphql`
  subscription changesSubscription($after: Cursor) {
    changes(after: $after) {
      cursor
      changes {
        kind
        ... on RecordAdded {
          transfer {
            __typename
            ... on Mint {
              id
            }
            ... on Burn {
              id
            }
            blockNumber
            tokenId
          }
        }
        ... on BlocksVoided {
          blocks {
            fromBlock
            toBlock
          }
          cause
        }
        ... on MetadataChanged {
          tokenId
          metadata {
            image
          }
        }
      }
    }
  }
`;

// follow subscribes again after the last cursor whenever the subscription ends.
export function follow(environment, cursor, apply, restart) {
  let request, timer;
  const again = () => {
    timer = setTimeout(subscribe, 1000);
  };
  const subscribe = () => {
    request = requestSubscription(environment, {
      subscription,
      variables: { after: cursor },
      onNext({ changes }) {
        cursor = changes.cursor;
        apply(changes.changes);
      },
      onError: ({ source }) => (expired(source?.errors) ? restart() : again()),
      onCompleted: again,
    });
  };
  subscribe();
  return () => {
    clearTimeout(timer);
    request.dispose();
  };
}

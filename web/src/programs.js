// The forms of "Copy as": programs that run one operation and print its answer, or each result of a
// subscription. clients/programs.js runs each form.

// SECRET is in the place of each header that may hold a key.
const SECRET = 'YOUR_API_KEY';

// PROGRAMS has a function for each form. It gets the url of the endpoint, the query, its variables and
// headers as objects, and whether it is a subscription; without a key, headers is empty.
export const PROGRAMS = {
  curl: ({ url, query, variables, headers, subscribes }) =>
    [
      `curl ${subscribes ? '-sN' : '-s'} ${quoted(url)}`,
      ...Object.entries(sent(headers, subscribes)).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
      `-d ${quoted(JSON.stringify({ query, variables }, null, 2))}`,
    ].join(' \\\n  '),

  fetch: (o) => `${script(o)}
const response = await fetch(${text(o.url)}, {
  method: 'POST',
  headers: ${json(sent(o.headers, o.subscribes), 2)},
  body: JSON.stringify({ query, variables }),
});
${
  o.subscribes
    ? `for await (const part of response.body.pipeThrough(new TextDecoderStream())) console.log(part);`
    : `console.log(JSON.stringify(await response.json(), null, 2));`
}
`,

  Apollo: (o) => `import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';

${script(o)}
const client = new ApolloClient({
  link: new HttpLink({ uri: ${text(o.url)}, headers: ${json(masked(o.headers), 2)} }),
  cache: new InMemoryCache(),
});
${
  o.subscribes
    ? `client.subscribe({ query: gql(query), variables, fetchPolicy: 'no-cache' }).subscribe(${PRINT});`
    : `const { data } = await client.query({ query: gql(query), variables, fetchPolicy: 'no-cache' });
console.log(JSON.stringify({ data }, null, 2));`
}
`,

  urql: (o) => `import { Client, fetchExchange } from '@urql/core';

${script(o)}
const client = new Client({
  url: ${text(o.url)},
  exchanges: [fetchExchange],
  fetchOptions: { headers: ${json(masked(o.headers), 2)} },
  preferGetMethod: false,${o.subscribes ? '\n  fetchSubscriptions: true,' : ''}
});
${
  o.subscribes
    ? `client.subscription(query, variables).subscribe(${PRINT});`
    : `const { data, error } = await client.query(query, variables).toPromise();
if (error) throw error;
console.log(JSON.stringify({ data }, null, 2));`
}
`,

  Python: (o) => `import json
import urllib.request

query = """
${o.query.trim().replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}
"""
variables = json.loads(${text(JSON.stringify(o.variables))})

request = urllib.request.Request(
    ${text(o.url)},
    json.dumps({"query": query, "variables": variables}).encode(),
    ${json(sent(o.headers, o.subscribes), 4)},
)
with urllib.request.urlopen(request) as response:
${
  o.subscribes
    ? `    for line in response:
        print(line.decode(), end="", flush=True)`
    : `    print(json.dumps(json.load(response), indent=2))`
}
`,

  Go: (o) => `package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
)

const query = ${raw(`\n${o.query.trim()}\n`)}

const variables = ${raw(JSON.stringify(o.variables, null, 2))}

func main() {
	body, err := json.Marshal(map[string]any{"query": query, "variables": json.RawMessage(variables)})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", ${text(o.url)}, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
${Object.entries(sent(o.headers, o.subscribes))
  .map(([name, value]) => `	request.Header.Set(${text(name)}, ${text(value)})\n`)
  .join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
}
`,
};

const PRINT = '(result) => console.log(JSON.stringify(result.data))';

// script returns the operation in JavaScript.
const script = ({ query, variables }) => `const query = /* GraphQL */ \`
${query.trim().replace(/[\\`]|\$(?=\{)/g, '\\$&')}
\`;
const variables = ${json(variables)};
`;

// sent returns the headers that fetch, curl and the like send.
const sent = (headers, subscribes) => ({
  'Content-Type': 'application/json',
  Accept: subscribes ? 'text/event-stream' : 'application/json',
  ...masked(headers),
});

// masked replaces what may be secret.
const masked = (headers) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      /auth|cookie|key|secret|token/i.test(name) ? `${/^bearer /i.test(value) ? 'Bearer ' : ''}${SECRET}` : `${value}`,
    ]),
  );

// json returns a value as JSON, whose lines but the first are indented: a literal of JavaScript, and
// of Python if all its values are strings.
const json = (value, indent = 0) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`);

// text returns a string literal, which JavaScript, Python and Go read in the same way.
const text = (value) => JSON.stringify(value);

// raw returns a raw string literal of Go.
const raw = (value) => `\`${value.replaceAll('`', '` + "`" + `')}\``;

// quoted returns a word of a shell.
const quoted = (value) => `'${value.replaceAll("'", "'\\''")}'`;

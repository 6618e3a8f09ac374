// PostGraphile on PostgreSQL, on the tables that ../postgres.go has filled, with
// its preset for new projects and the filters for ranges.
import { createServer } from 'node:http'
import { grafserv } from 'postgraphile/grafserv/node'
import { makePgService } from 'postgraphile/adaptors/pg'
import { postgraphile } from 'postgraphile'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'

const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  pgServices: [makePgService({ connectionString: process.argv[2], schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', watch: false, graphiql: false },
  grafast: { explain: false }
})
const server = createServer()
const serv = instance.createServ(grafserv)
await serv.addTo(server)
server.listen(0, '127.0.0.1', () => console.error(`serving http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))

// mercurius.js in as many processes as it may use processors, behind one port.
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

// The workers get the database's path too. What they print about their port is not ours.
cluster.setupPrimary({ exec: fileURLToPath(new URL('mercurius.js', import.meta.url)), silent: true })
let starting = availableParallelism()
cluster.on('listening', (_, { port }) => {
  if (--starting === 0) console.error(`serving http://127.0.0.1:${port}`)
})
for (let i = starting; i > 0; i--) cluster.fork()
process.on('SIGTERM', () => cluster.disconnect())

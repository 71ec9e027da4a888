// The console against the real binary in real Chromium: `npm run e2e`. PAGS_BINARY names the binary (bin/pags), CHROMIUM the
// browser. Parts run in this order; each leaves the scene as the next expects it.
import test from 'node:test'
import signin from './signin.mjs'
import looks from './looks.mjs'
import keyboard from './keyboard.mjs'
import live from './live.mjs'
import long from './long.mjs'
import broken from './broken.mjs'
import tools from './tools.mjs'
import { openWorld } from './world.mjs'

test('console', { timeout: 420_000 }, async (t) => {
  const world = await openWorld()
  t.beforeEach(() => world.tidy())
  try {
    for (const part of [signin, looks, keyboard, long, live, tools, broken]) await part(t, world)
  } finally {
    await world.close()
  }
})

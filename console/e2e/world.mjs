// The stage, one browser with one signed-in context, and what every part needs of them.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'

const root = resolve(import.meta.dirname, '../..')

/** The browser; without one the tests fail, they are never skipped. */
function browserPath() {
  const names = [process.env.CHROMIUM, 'chromium', 'google-chrome'].filter(Boolean)
  for (const name of names) for (const dir of name.includes('/') ? [''] : process.env.PATH.split(delimiter)) if (existsSync(join(dir, name))) return join(dir, name)
  throw new Error(`No Chromium found (${names.join(', ')}). Install it, or set CHROMIUM to its path.`)
}

async function openStage(binary) {
  const program = join(root, '.build/console-stage')
  execFileSync('go', ['build', '-o', program, './console/e2e/stage'], { cwd: root, stdio: 'inherit' })
  const driver = process.env.PAGS_PLAYWRIGHT_DRIVER ?? join(root, 'tools/node/node_modules/playwright-core')
  const child = spawn(program, ['-binary', binary], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, PAGS_PLAYWRIGHT_DRIVER: driver } })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done) throw new Error('The stage did not come up; see above.')
  const tell = async (what) => {
    child.stdin.write(`${what}\n`)
    assert.equal((await lines.next()).value, what)
  }
  const close = () => new Promise((done) => { child.on('exit', done); child.stdin.end() })
  return { scene: JSON.parse(first.value), stopHost: () => tell('stop'), startHost: () => tell('start'), close }
}

export async function openWorld() {
  const executablePath = browserPath()
  const binary = resolve(process.env.PAGS_BINARY ?? join(root, 'bin/pags'))
  if (!existsSync(binary)) throw new Error(`${binary} is not there; run make build.`)
  const stage = await openStage(binary)
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  const context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce', locale: 'en-GB' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const complaints = []
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) complaints.push(`${m.text()} (${m.location().url})`) })
  page.on('pageerror', (e) => complaints.push(e.message))
  page.on('response', (r) => { if (r.status() === 429) complaints.push(`429 for ${r.url()}`) })
  const { scene } = stage
  const run = promisify(execFile)
  return {
    ...stage, page, context,
    /** What browser and page complained about since the last call. */
    complaints: () => complaints.splice(0),
    cli: async (...args) => (await run(binary, args, { env: { ...process.env, PAGS_HOME: scene.home, NO_COLOR: '1' } })).stdout.trim(),
    /** Goes to a room without loading the page anew, as a click does. */
    go: async (path) => {
      await page.evaluate((to) => { history.pushState({}, '', to); dispatchEvent(new PopStateEvent('popstate')) }, path)
      await page.waitForURL((u) => u.pathname === new URL(path, scene.url).pathname)
    },
    /** Takes away what a part before may have left: stand-ins of the API, a size, an open dialog. */
    tidy: async () => {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.setViewportSize(wide)
      await page.emulateMedia({ colorScheme: 'light' })
      if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
    },
    close: async () => { await browser.close(); await stage.close() },
  }
}

export const wide = { width: 1280, height: 800 }
export const narrow = { width: 360, height: 740 }

/** Fails with what the page complained about. */
export function quiet(world) {
  assert.deepEqual(world.complaints(), [])
}

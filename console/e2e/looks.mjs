// Every room in light and dark, wide and narrow: no axe violation, nothing to scroll sideways, no complaint of the browser.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { narrow, quiet, wide } from './world.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Rules whose answer depends on colours; all others say the same in both schemes. */
const colourRules = ['color-contrast', 'link-in-text-block']

async function violations(page, runOnly) {
  const inject = await page.evaluate(() => !('axe' in window))
  if (inject) await page.evaluate(axe)
  const found = await page.evaluate((only) => window.axe.run(document, { runOnly: only, resultTypes: ['violations'], preload: false, iframes: false }), runOnly)
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} — ${n.failureSummary?.split('\n').slice(1, 2).join('').trim()}`).join('; ')}`)
}

async function sideways(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}

/** Waits until everything that the page asked for is shown. */
export async function complete(page) {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => !/Loading|…$/.test(document.getElementById('main')?.textContent ?? '…'))
}

/** Looks at what is shown now in all four ways, and at 200 % zoom (half as many CSS pixels of twice the size). */
export async function look(w, name, sizes = [wide, narrow]) {
  const { page } = w
  const wrong = []
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height })
    if ((await sideways(page)) > 0) wrong.push(`${name} ${width}: scrolls sideways`)
    // As tall as the page, so that the phone's bar covers nothing that one could have scrolled to.
    if (width === narrow.width) await page.setViewportSize({ width, height: Math.max(height, Math.min(4_000, await page.evaluate(() => document.documentElement.scrollHeight + 400))) })
    await page.emulateMedia({ colorScheme: 'light' })
    for (const v of await violations(page, { type: 'tag', values: tags })) wrong.push(`${name} ${width} light: ${v}`)
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const v of await violations(page, { type: 'rule', values: colourRules })) wrong.push(`${name} ${width} dark: ${v}`)
  }
  await page.setViewportSize({ width: wide.width / 2, height: wide.height / 2 })
  if ((await sideways(page)) > 0) wrong.push(`${name} at 200 %: scrolls sideways`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
  assert.deepEqual(wrong, [])
}

export default async function looks(t, w) {
  const { page, scene } = w
  const rooms = [
    ['runs', '/runs', 'Runs'], ['a completed run', `/runs/${scene.runs.completed}`, /workshop pass/], ['a run that waits', `/runs/${scene.runs.approval}`, /laser cutter/],
    ['a failed run', `/runs/${scene.runs.failed}?step=2`, /day pass/], ['inbox', '/inbox', 'Inbox'], ['instances', '/instances', 'Instances'], ['an instance', `/instances/${scene.instances.completed}`, 'Workshop pass'],
    ['agents', '/agents', 'Agents'], ['an agent', '/agents/browser', 'Browser'], ['machines', '/machines', 'Machines'], ['keys', '/keys', 'Keys'], ['settings', '/settings', 'Settings'], ['nothing', '/nowhere', 'There is nothing here'],
  ]
  for (const [name, path, heading] of rooms) {
    await t.test(`${name}: light and dark, 1280 and 360 px, 200 % zoom`, async () => {
      await w.go(path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await complete(page)
      await look(w, name)
      quiet(w)
    })
  }

  await t.test('pictures of the page are shown: in the inbox, and beside the steps of a run', async () => {
    await w.go('/inbox')
    await page.waitForFunction(() => document.querySelectorAll('article img').length === 2 && [...document.querySelectorAll('article img')].every((i) => i.naturalWidth > 300))
    await w.go(`/runs/${scene.runs.completed}`)
    await page.waitForFunction(() => document.querySelector('figure img')?.naturalWidth > 300)
  })

  await t.test('the tab says how much needs the person', async () => {
    await page.waitForFunction(() => document.title.startsWith('needs you (2) · '))
    assert.match(await page.getAttribute('#favicon', 'href'), /waiting/)
  })

  const empty = JSON.stringify({ items: [] })
  const blank = [['runs', '/v1/runs*', '/runs', 'pags up'], ['inbox', '/v1/interactions*', '/inbox', 'Nothing needs you'], ['instances', '/v1/instances/my/*', '/instances', 'pags instances subscribe browser'], ['machines', '/v1/machines', '/machines', 'pags up'], ['keys', '/v1/keys', '/keys', 'pags keys set anthropic']]
  await t.test('an empty room says what to do next', async () => {
    for (const [, url] of blank) await page.route(`**${url}`, (r) => r.fulfill({ contentType: 'application/json', body: empty }))
    await page.reload()
    for (const [name, , path, next] of blank) {
      await w.go(path)
      await page.getByText(next).first().waitFor()
      await look(w, `empty ${name}`, [narrow])
    }
    quiet(w)
  })
}

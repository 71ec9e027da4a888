import assert from 'node:assert/strict'
import { complete, look } from './looks.mjs'
import { narrow, quiet, wide } from './world.mjs'

/** Tabs once around the page; for each stop what it is and whether it is seen to have the focus. */
async function tabAround(page) {
  await page.evaluate(() => { document.activeElement?.blur(); getSelection()?.removeAllRanges(); scrollTo(0, 0) })
  const stops = []
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const e = document.activeElement
      if (!e || e === document.body) return null
      e.dataset.tabbed = 'yes'
      const style = getComputedStyle(e)
      const box = e.getBoundingClientRect()
      const seen = box.bottom > 0 && box.top < innerHeight && box.width > 0
      return { name: `${e.tagName} ${e.getAttribute('aria-label') ?? e.innerText ?? ''}`.slice(0, 60), visible: seen && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 }
    })
    if (!stop) return stops
    stops.push(stop)
  }
  assert.fail('the tab key never leaves the page')
}

/** What of the page the tab key does not reach, or reaches unseen. */
export async function unreached(page) {
  const stops = await tabAround(page)
  const missed = await page.evaluate((sel) => [...document.querySelectorAll(sel)].filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.dataset.tabbed).map((e) => e.outerHTML.slice(0, 100)), reachable)
  return [...stops.filter((s) => !s.visible).map((s) => `${s.name} is not seen to have the focus`), ...missed]
}

// A list of tabs hands the focus on to the tab that is chosen.
const reachable = 'a[href], button:not(:disabled), input, select, textarea, summary, [tabindex="0"]:not([role=tablist])'

export default async function keyboard(t, w) {
  const { page, scene } = w
  const rooms = ['/runs', `/runs/${scene.runs.approval}`, '/inbox', `/instances/${scene.instances.completed}`, '/keys', '/settings', '/machines']

  for (const path of rooms) {
    await t.test(`tab reaches everything on ${path.replace(/_.*/, '')}, and the focus is seen`, async () => {
      await w.go(path)
      await complete(page)
      assert.deepEqual(await unreached(page), [])
    })
  }

  await t.test('the first tab stop skips to the content', async () => {
    await w.go('/runs')
    await page.evaluate(() => { document.activeElement?.blur() })
    await page.reload()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    assert.equal(await skip.evaluate((e) => e === document.activeElement && e.getBoundingClientRect().width > 50), true)
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
  })

  await t.test('g and a letter go to each room', async () => {
    for (const [key, path] of [['i', '/inbox'], ['p', '/playground'], ['t', '/tools'], ['o', '/sources'], ['c', '/connections'], ['l', '/policies'], ['n', '/instances'], ['a', '/agents'], ['m', '/machines'], ['k', '/keys'], ['s', '/settings'], ['r', '/runs']]) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.waitForURL(`**${path}`)
    }
  })

  await t.test('the command menu opens from anywhere, finds, goes, and gives the focus back', async () => {
    const link = page.getByRole('link', { name: 'Settings' })
    await link.focus()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Search or do' })
    await box.waitFor()
    assert.equal(await box.evaluate((e) => e === document.activeElement), true)
    await look(w, 'command menu', [narrow])
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Settings')
    await page.keyboard.press('/')
    await box.fill('book') // the instance Bookings, then the run
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${scene.runs.approval}`)
    await page.keyboard.press('Control+k')
    await box.fill('no such thing at all')
    await page.getByText('Nothing matches').waitFor()
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
  })

  await t.test('? lists the keys', async () => {
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Shortcuts' })
    await dialog.waitFor()
    await look(w, 'keys', [narrow])
    await page.keyboard.press('a') // behind a dialog nothing is answered
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByText('sent in a moment').count(), 0)
  })

  await t.test('on a run j, k and arrows choose a step, the address holds it, Escape leads back', async () => {
    await w.go('/runs')
    await page.getByRole('link', { name: /workshop pass/ }).click()
    const chosen = page.getByRole('option', { selected: true })
    await page.getByText(/^Step \d+ · /).waitFor()
    const last = await chosen.getAttribute('aria-posinset')
    await page.keyboard.press('k')
    await page.waitForURL(/\?step=\d+$/)
    assert.equal(Number(await chosen.getAttribute('aria-posinset')), Number(last) - 1)
    await page.getByRole('listbox', { name: 'Steps' }).focus()
    await page.keyboard.press('Home')
    await page.waitForURL(/\?step=0$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('j')
    await page.waitForURL(/\?step=2$/)
    await page.reload()
    await page.getByText(/^Step \d+ · /).waitFor()
    await page.waitForFunction(() => document.querySelector('[role=option][aria-selected=true]')?.getAttribute('aria-posinset') === '3')
    await page.keyboard.press('Escape')
    await page.waitForURL('**/runs')
  })

  await t.test('in the inbox j and k move, a, x and r answer, u undoes, g a does not approve', async () => {
    const posts = []
    const note = (r) => { if (r.method() === 'POST' && r.url().endsWith('/answer')) posts.push(r.url()) }
    page.on('request', note)
    await w.go('/inbox')
    const cards = page.getByRole('article')
    await cards.nth(1).waitFor()
    const held = page.getByText('sent in a moment')
    const undo = async () => {
      await held.waitFor()
      await page.keyboard.press('u')
      await held.waitFor({ state: 'detached' })
    }
    assert.match(await cards.nth(0).innerText(), /Approve/, 'what may do harm comes first')
    await page.keyboard.press('a')
    await held.waitFor()
    await look(w, 'an answer that is held', [narrow])
    await undo()
    await page.keyboard.press('x')
    await undo()
    await page.keyboard.press('j')
    await page.waitForURL(/at=int_/)
    assert.equal(await cards.nth(1).evaluate((e) => e.parentElement === document.activeElement), true)
    await page.keyboard.press('a') // this one allows no accept
    await page.keyboard.press('r')
    const secret = page.getByLabel('Secret')
    await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'password')
    assert.equal(await secret.inputValue(), '')
    await page.keyboard.type('ax?')
    assert.equal(await secret.inputValue(), 'ax?')
    await secret.fill('')
    await page.keyboard.press('Escape')
    await page.keyboard.press('k')
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL('**/agents')
    await page.waitForTimeout(200)
    page.off('request', note)
    assert.deepEqual(posts, [])
  })

  await t.test('on a phone the bar leads everywhere', async () => {
    await page.setViewportSize(narrow)
    for (const name of ['Inbox', 'Tools', 'Instances', 'Runs']) await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('option', { name: /Keys/ }).click()
    await page.waitForURL('**/keys')
    const small = await page.evaluate(() => [...document.querySelectorAll('a[href], button, summary, input[type=checkbox]')].filter((e) => e.checkVisibility() && !e.closest('p')).map((e) => ({ e: e.outerHTML.slice(0, 80), r: e.getBoundingClientRect() })).filter(({ r }) => r.width > 1 && (r.width < 24 || r.height < 16)).map(({ e }) => e))
    assert.deepEqual(small, [])
    await page.setViewportSize(wide)
    quiet(w)
  })
}

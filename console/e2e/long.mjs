// Runs of five hundred and of ten thousand steps, as the API would tell them.
import assert from 'node:assert/strict'
import { quiet } from './world.mjs'

const at = (i) => new Date(Date.UTC(2026, 0, 1) + i * 400).toISOString()

async function pretend({ page, scene }, id, count) {
  const events = Array.from({ length: count }, (_, i) => ({ runId: id, seq: i + 1, at: at(i), kind: 'decided', step: i + 1, text: `click "Row ${i + 1}" (e${i + 1})`, data: { action: 'click' } }))
  await page.route(`**/v1/runs/${id}`, (r) => r.fulfill({ json: { id, kind: 'browse', userId: 'usr_1', instanceId: scene.instances.completed, title: 'A long task', status: 'completed', outcome: 'done', step: count, maxSteps: count, generation: 40, fence: 1, lastEvent: count, inputTokens: 1, outputTokens: 1, createdAt: at(0), endedAt: at(count) } }))
  await page.route(`**/v1/runs/${id}/events*`, (r) => {
    const q = new URL(r.request().url()).searchParams
    const after = Number(q.get('after'))
    return r.fulfill({ json: { items: events.slice(after, after + Number(q.get('limit'))), lastEvent: count, status: 'completed' } })
  })
}

const chosenIs = (page, n) => page.waitForFunction((i) => document.querySelector('[role=option][aria-selected=true]')?.getAttribute('aria-posinset') === String(i), n)

/** Scrolls ten rows a frame and tells the middle of the times between frames. */
function scroll(list) {
  return list.evaluate((box) => new Promise((done) => {
    const gaps = []
    let before = performance.now()
    box.scrollTop = 0
    const frame = (now) => {
      gaps.push(now - before)
      before = now
      if (gaps.length > 40) return done(gaps.sort((a, b) => a - b)[20])
      box.scrollTop = box.scrollTop + 10 * 42 > box.scrollHeight - box.clientHeight ? 0 : box.scrollTop + 10 * 42
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }))
}

export default async function long(t, w) {
  const { page } = w
  await t.test('ten thousand steps scroll like five hundred: only what is in view is drawn', async () => {
    const list = page.getByRole('listbox', { name: 'Steps' })
    const middle = {}
    for (const count of [500, 10_000]) {
      const id = `run_01LONG${String(count).padStart(20, '0')}`
      await pretend(w, id, count)
      await w.go(`/runs/${id}`)
      await chosenIs(page, count)
      assert.equal(await page.getByRole('option').first().getAttribute('aria-setsize'), String(count))
      assert.ok((await page.getByRole('option').count()) < 80)
      middle[count] = await scroll(list)
      await list.focus()
      await page.keyboard.press('Home')
      await chosenIs(page, 1)
      await page.keyboard.press('End')
      await chosenIs(page, count)
    }
    assert.ok(middle[10_000] < 2 * middle[500] + 20, `frames took ${middle[10_000].toFixed(0)} ms, and ${middle[500].toFixed(0)} ms with five hundred steps`)
    await w.go('/runs')
    quiet(w)
  })
}

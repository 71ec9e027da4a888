import assert from 'node:assert/strict'
import { unreached } from '../keyboard.mjs'
import { complete } from '../looks.mjs'

export default async function reach(t, w) {
  const { page } = w
  await page.reload() // the tab key begins at the top
  for (const path of ['/sources', '/sources/new', '/sources/workshop', '/connections', '/tools?tool=workshop.main.bookings.create', '/playground', '/policies']) {
    await t.test(`tab reaches everything on ${path}, and the focus is seen`, async () => {
      await w.go(path)
      await complete(page)
      assert.deepEqual(await unreached(page), [])
    })
  }
}

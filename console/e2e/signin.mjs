import assert from 'node:assert/strict'
import { quiet } from './world.mjs'

export default async function signin(t, w) {
  const { page, scene } = w

  await t.test('who is signed out is sent to the sign-in page from anywhere', async () => {
    await page.goto(`${scene.url}/runs/${scene.runs.completed}`)
    await page.waitForURL('**/signin')
    await page.getByRole('heading', { name: 'Sign in to pags' }).waitFor()
    assert.equal(await page.getByText('pags open').isVisible(), true)
    const said = w.complaints() // the browser itself reports the 401 of the one question whether there is a session
    assert.equal(said.length, 1, said.join('\n'))
    assert.match(said[0], /401.*\/v1\/auth\/refresh/)
  })

  await t.test('a link signs in once; opened again it says why it does not, and what to do', async () => {
    const link = await w.cli('open')
    const other = await w.context.browser().newContext()
    try {
      const second = await other.newPage()
      await page.goto('about:blank')
      await page.goto(link)
      await page.waitForURL('**/runs')
      await page.getByRole('heading', { name: 'Runs' }).waitFor()
      await second.goto(link)
      const failure = second.getByRole('alert')
      await failure.waitFor()
      assert.match(await failure.innerText(), /link[\s\S]*new link/i)
      assert.equal(new URL(second.url()).hash, '', 'the token stays in the address')
      assert.equal(await second.getByText('pags open', { exact: true }).isVisible(), true)
      await second.evaluate(() => { location.hash = 'ANOTHERONETHATISWRONG' }) // pasted into the same tab
      await second.getByText('Signing you in').or(failure).first().waitFor()
    } finally {
      await other.close()
    }
    quiet(w)
  })

  await t.test('a reload stays signed in, and the token is in no storage', async () => {
    await page.reload()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0)
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify(sessionStorage)), /eyJ/)
    quiet(w)
  })
}

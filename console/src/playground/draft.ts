/** The program of this tab, and the run that it was last started as. */
export type Draft = { code: string; run?: string }

const key = 'pags-playground'

/** What this tab last held. A browser without storage starts empty. */
export function loadDraft(): Draft {
  try {
    const d = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Draft>
    return { code: typeof d.code === 'string' ? d.code : '', ...(typeof d.run === 'string' ? { run: d.run } : {}) }
  } catch {
    return { code: '' }
  }
}

export function saveDraft(d: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(d))
  } catch {
    // Full or not allowed: the program then lives as long as the page.
  }
}

/** What the editor shows: this tab's own text, unless the address names another run. */
export function starting(d: Draft, run: string | undefined): Draft {
  return run === undefined || d.run === run ? d : { code: '', run }
}

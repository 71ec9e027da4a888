import type { Tool } from '@/api/model'
import { parts } from '@/tools/tree'

export type Example = { title: string; code: string }

/** How a program names a tool. */
export function expression(path: string): string {
  return `tools.${path}`
}

function comment(t: Tool): string {
  const text = (t.description || t.name).split('\n')[0] ?? ''
  return text.length > 90 ? `${text.slice(0, 89)}…` : text
}

const text = (v: unknown) => JSON.stringify(v)

/** Programs to start from, made of the tools that are there. `args` gives arguments of a tool, as far as they are known. */
export function examples(tools: Tool[], args: (path: string) => unknown = () => undefined): Example[] {
  const usable = tools.filter((t) => t.policy?.action !== 'block' && !t.deprecated)
  const reads = usable.filter((t) => t.readOnly)
  const write = usable.find((t) => !t.readOnly && !t.destructive)
  const call = (t: Tool) => {
    const a = args(t.path)
    const given = typeof a === 'object' && a !== null && Object.keys(a).length > 0 ? JSON.stringify(a, null, 2) : '{}'
    return `${expression(t.path)}(${given})`
  }
  const out: Example[] = []
  const [first, second] = reads
  if (first) {
    out.push({
      title: 'Call a tool',
      code: `// ${comment(first)}\nconst r = await ${call(first)}\nif (!r.ok) return r.error\nconsole.log('HTTP', r.http?.status)\nreturn r.data\n`,
    })
  }
  if (first && second) {
    out.push({
      title: 'Two at once',
      code: `const [a, b] = await Promise.all([\n${[first, second].map((t) => `  // ${comment(t)}\n  ${call(t).replaceAll('\n', '\n  ')},`).join('\n')}\n])\nreturn { a: a.ok ? a.data : a.error, b: b.ok ? b.data : b.error }\n`,
    })
  }
  if (write) out.push({ title: 'Ask before writing', code: `// ${comment(write)}\n// A call that changes something waits until you approve it.\nreturn await ${call(write)}\n` })
  out.push({ title: 'Find tools', code: `const found = await tools.search({ query: ${text(usable[0] ? parts(usable[0].path).leaf : 'list')}, limit: 5 })\nfor (const t of found.data.items) console.log(t.path, t.description)\nreturn found.data.total\n` })
  out.push({ title: 'Ask a person', code: `const answer = await tools.person.ask({\n  message: 'Which day suits you?',\n  schema: {\n    type: 'object',\n    required: ['day'],\n    properties: { day: { type: 'string', format: 'date', title: 'Day' } },\n  },\n})\nreturn answer\n` })
  return out
}

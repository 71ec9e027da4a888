import a11y from 'eslint-plugin-jsx-a11y'
import hooks from 'eslint-plugin-react-hooks'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['dist', 'node_modules', '**/*.gen.ts', 'e2e'] },
  ...ts.configs.strict,
  a11y.flatConfigs.strict,
  {
    plugins: { 'react-hooks': hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      // Nothing fetches outside a hook of api/ (the house rule); components get data from there.
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Use a hook from src/api.' }],
    },
  },
  { files: ['src/api/**'], rules: { 'no-restricted-globals': 'off' } },
)

/* The description of the interface, /api: it is a valid OpenAPI document, the answers of the service are as its schemas say, and
 * the service knows every key that it names. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { looksWell, missing, openPage, startBrowser, startService, trace, upload } from './support.mjs';

const TRACE = trace([{ id: 1, name: 'main', us: 400_000 }, { id: 2, name: 'worker' }], { overflow: true });
const ALSO_OTHERS = ['Facts'];      /* formats may say more than is listed */

/* The schemas, which programs may read generously and this test does not: a member that no schema names is an error. */
function strict(schemas) {
    const copy = structuredClone(schemas);
    const close = schema => {
        if (schema === null || typeof schema !== 'object')
            return;
        if (schema.type === 'object' && 'properties' in schema)
            schema.additionalProperties ??= false;
        Object.values(schema).forEach(close);
    };
    for (const [name, schema] of Object.entries(copy))
        if (!ALSO_OTHERS.includes(name))
            close(schema);
    return copy;
}

describe('the description of the interface', { skip: missing() }, () => {
    let service, api, uploaded, at, method;
    const json = async path => (await fetch(service.url + path, { headers: { Accept: 'application/json' } })).json();
    before(async () => {
        service = await startService();
        api = await json('/api');
        uploaded = await upload(service, TRACE);
        at = `/p/${uploaded.id}`;
        method = (await json(`${at}/methods.json`)).rows[0][0];
    });
    after(() => service.stop());

    test('is a valid OpenAPI 3.1 document', async () => {
        const found = await new Validator().validate(structuredClone(api));
        assert.ok(found.valid, JSON.stringify(found.errors ?? '').slice(0, 2000));
        assert.equal(api.openapi, '3.1.0');
        const ids = Object.values(api.paths).flatMap(Object.values).map(operation => operation.operationId);
        assert.equal(new Set(ids).size, ids.length, 'each operation has an id of its own');
        assert.deepEqual(await json('/api.json'), api);
    });

    test('holds for JSON answers', async () => {
        const ajv = new Ajv2020({ strict: false });
        addFormats(ajv);
        ajv.addSchema({ $id: 'api', components: { schemas: strict(api.components.schemas) } });
        const holds = (name, answer) => {
            const check = ajv.getSchema(`api#/components/schemas/${name}`);
            assert.ok(check(answer), `${name}: ${JSON.stringify(check.errors).slice(0, 1000)}`);
        };
        holds('Upload', uploaded);
        holds('Problem', await json('/p/nobody'));
        const other = await upload(service, trace([{ id: 1, name: 'main', us: 200_000 }]));
        const paths = { '{id}': uploaded.id, '{track}': 'all', '{method}': method, '{pair}': `${uploaded.id}..${other.id}` };
        const seen = [];
        for (const [path, operations] of Object.entries(api.paths)) {
            const schema = operations.get?.responses['2XX'].content?.['application/json']?.schema?.$ref;
            if (schema === undefined)
                continue;
            seen.push(path);
            holds(schema.split('/').pop(), await json(path.replace(/\{\w+\}/g, part => paths[part])));
        }
        for (const path of Object.keys(api.paths).filter(name => name.endsWith('.json') && name !== '/api.json'))
            assert.ok(seen.includes(path), `${path} has a schema`);
        holds('Lanes', await json(`${at}/lanes.json?width=300&stacks=1&mark=${method}`));
        holds('Method', await json(`${at}/m/${method}.json?longest=1`));
    });

    test('describes all fields of the forms', () => {
        const fieldsOf = path => {
            const { properties } = api.paths[path].post.requestBody.content['multipart/form-data'].schema;
            assert.ok(Object.values(properties).every(({ description }) => description.length > 0), path);
            return Object.keys(properties).sort().join(' ');
        };
        assert.equal(fieldsOf('/p/{id}/mapping'), 'from from_token known known_file mapping token');
        assert.equal(fieldsOf('/p/{id}/symbols'), 'symbols token');
        assert.equal(fieldsOf('/p/{id}/rename'), 'app expires label.KEY labels name readers space token');
        assert.equal(fieldsOf('/'), 'expires label.KEY labels mapping member name readers space symbols trace');
    });

    test('names keys that the service knows, and all of them', async () => {
        const values = { track: 'all', value: 'wall', app: 'com.example', expires: '7', member: '#1', output: 'json',
                         made: '0', wait: '0', sort: 'wall_incl', limit: '5', offset: '0', longest: '1', group: 'class',
                         width: '800', recursion: 'collapse', preset: 'own-code', view: 'flame', min: '1',
                         order: 'name', palette: 'self', names: 'full', open: 'last', from: '0', to: '100000' };
        for (const [path, { get }] of Object.entries(api.paths)) {
            if (get === undefined || !/^\/p\/\{id\}\/(methods|verdict|m|t)\b.*\.(json|txt|tsv)$/.test(path))
                continue;
            const keys = get.parameters.map(p => p.$ref?.split('/').pop() ?? (p.in === 'query' ? p.name : undefined))
                .filter(key => key !== undefined);
            const url = service.url + path.replace('{id}', uploaded.id).replace('{track}', 'all').replace('{method}', method);
            for (const key of keys) {
                const answer = await fetch(`${url}?${key}=${encodeURIComponent(values[key] ?? 'x')}`);
                const text = await answer.text();
                assert.ok(answer.status === 200 || !/does not know|unknown/.test(text), `${url} ${key}: ${text.slice(0, 300)}`);
            }
            assert.equal((await fetch(`${url}?nobody-knows=1`)).status, 400, url);
        }
    });

    test('is a page as well', async () => {
        const browser = await startBrowser();
        try {
            const page = await openPage(browser, service);
            await looksWell(page, [400, 1280], async () => {
                await page.goto(`${service.url}/api`);
                await page.click('summary:has-text("/p/{id}/methods.json")');
                assert.ok(await page.isVisible('details[open] th:has-text("sort")'));
            });
            assert.deepEqual(page.complaints, []);
            await page.screenshot({ path: process.env.SCREENSHOT ?? '/dev/null', type: 'png' });
        } finally {
            await browser.close();
        }
    });
});

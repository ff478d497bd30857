// A store as an adapter: mayhap test specs/kv.may --sut 'stdio:node examples/adapters/store.mjs'
import { Client, serve } from "./mayhap_adapter.mjs";

const values = new Map();
const append = (key, value) => values.set(key, (values.get(key) ?? "") + value);
class Store extends Client {
    Get(key) { return { Get: [key, values.get(key) ?? ""] }; }
    Put(key, value) { values.set(key, value); return { Put: [key, value] }; }
    Append(key, value) { append(key, value); return { Append: [key, value] }; }
}
serve(Store, () => values.clear());

